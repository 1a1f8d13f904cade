#include "harness.h"

namespace timeout_wheel {
namespace {

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
