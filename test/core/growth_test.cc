#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Growth, AFullWheelTakesNoMoreTimersUntilItGrows) {
  Harness harness;
  Units units = harness.ScheduleMany(kRecordsPerBlock, 50);
  EXPECT_TRUE(harness.submitter().full());
  EXPECT_EQ(harness.submitter().Schedule(50), Submitter::kFull);
  harness.Grow(1);
  EXPECT_FALSE(harness.submitter().full());
  units.push_back(harness.Schedule(50));
  EXPECT_EQ(harness.RunTo(49), Units{});
  EXPECT_EQ(harness.RunTo(50), units);
}

TEST(Growth, AFullWheelTakesATimerWhenOneIsCancelled) {
  Harness harness;
  const Units units = harness.ScheduleMany(kRecordsPerBlock, 50);
  harness.Cancel(units[7]);
  EXPECT_EQ(harness.Schedule(50), units[7]);
  EXPECT_TRUE(harness.submitter().full());
}

TEST(Growth, KeepsTimersOfAllLevelsAndTheSubmissions) {
  Harness harness;
  Units expected;
  for (const Tick deadline : {5U, 300U, 70000U, 20000000U}) {
    const Units more = harness.ScheduleMany(100, deadline);
    expected.insert(expected.end(), more.begin(), more.end());
    harness.Grow(1);
    harness.Take();
    harness.Grow(1);
  }
  EXPECT_EQ(harness.RunTo(20000000), expected);
}

TEST(Growth, InTheMiddleOfALargeTickLosesNothing) {
  Harness harness(0, 2);
  const Units units = harness.ScheduleMany(2 * kRecordsPerBlock, 10);
  Units ran = harness.Advance(10);
  ASSERT_TRUE(harness.unfinished());
  harness.Grow(3);
  const Units rest = harness.RunTo(10);
  ran.insert(ran.end(), rest.begin(), rest.end());
  EXPECT_EQ(ran, units);
}

TEST(Growth, BlockByBlockFillsEachOfThem) {
  Harness harness;
  Units expected;
  for (std::uint32_t blocks = 1; blocks <= 6; ++blocks) {
    const Units more = harness.ScheduleMany(kRecordsPerBlock, 100);
    expected.insert(expected.end(), more.begin(), more.end());
    EXPECT_TRUE(harness.submitter().full());
    harness.Grow(1);
  }
  EXPECT_EQ(harness.RunTo(100), expected);
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

TEST(Growth, MemoryThatMovesTakesTheWheelAlong) {
  Harness harness;
  const Units a = harness.ScheduleMany(100, 10);
  harness.Take();
  harness.Move();
  const Units b = harness.ScheduleMany(100, 20);
  harness.Move();
  EXPECT_EQ(harness.RunTo(10), a);
  harness.Move();
  EXPECT_EQ(harness.RunTo(20), b);
}

}  // namespace
}  // namespace timeout_wheel
