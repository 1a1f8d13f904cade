#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Growth, BlockByBlockFillsEachOfThem) {
  Harness harness;
  Units scheduled;
  for (std::uint32_t blocks = 1; blocks <= 6; ++blocks) {
    Add(scheduled, harness.ScheduleMany(kRecordsPerBlock, 100));
    EXPECT_TRUE(harness.submitter().full());
    EXPECT_EQ(harness.submitter().Schedule(100), Submitter::kFull);
    harness.Grow(1);
  }
  EXPECT_EQ(harness.RunAt(100), scheduled);
}

// Each shortened deadline leaves a stale entry behind. When there are twice as many entries as records, a sweep drops
// them.
TEST(Growth, RaisesTheLimitOfEntries) {
  Harness harness;
  harness.Grow(1);
  const Unit unit = harness.Schedule(1000000);
  harness.Take();
  std::uint32_t most = 0;
  for (Tick deadline = 999999; harness.entries() >= most; --deadline) {
    most = harness.entries();
    harness.submitter().Reschedule(unit, deadline);
    harness.wheel().TakeSubmissions();
  }
  EXPECT_EQ(most, 2 * 2 * kRecordsPerBlock);
}

}  // namespace
}  // namespace timeout_wheel
