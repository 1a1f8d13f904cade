#include "harness.h"

namespace timeout_wheel {
namespace {

// A tick whose timers do not fit into the expirations is handed over in parts, and the clock may go on between them.
constexpr Tick kTick = 10;

TEST(Parked, RunsATimerPutOffToAnEarlierTickThanAnotherAfterIt) {
  Harness harness;
  const Units batch = harness.ScheduleMany(kExpirationsCapacity, kTick);
  harness.Grow(1);
  const Unit last = harness.Schedule(kTick);
  ASSERT_EQ(harness.Expire(kTick), kExpirationsCapacity);
  ASSERT_TRUE(harness.unfinished());
  harness.Reschedule(last, kTick + 5);
  const Unit before = harness.Schedule(kTick + 3);
  EXPECT_EQ(harness.Dispatch(kTick, kExpirationsCapacity), batch);
  EXPECT_EQ(harness.RunTo(kTick + 10), (Units{before, last}));
}

TEST(Parked, RunsATimerSetAnewWhileItsTickIsGatheredAfterTheOthers) {
  Harness harness(0, 5);
  Units batch = harness.ScheduleMany(20000, kTick);
  ASSERT_EQ(harness.Expire(kTick), 0U);
  ASSERT_TRUE(harness.unfinished());
  harness.Reschedule(batch[0], kTick);
  std::rotate(batch.begin(), batch.begin() + 1, batch.end());
  EXPECT_EQ(harness.RunTo(kTick), batch);
}

}  // namespace
}  // namespace timeout_wheel
