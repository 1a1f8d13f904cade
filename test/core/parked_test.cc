#include "harness.h"

namespace timeout_wheel {
namespace {

// A tick whose timers do not fit into the expirations is handed over in parts, and the clock may go on between them.
constexpr Tick kTick = 10;

// Disabled: the wheel hands a parked timer over with its former tick, whatever its deadline is by now. Where the clock
// has passed the new deadline as well, the timer runs before those that are due earlier.
TEST(Parked, DISABLED_RunsATimerPutOffToAnEarlierTickThanAnotherAfterIt) {
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

// Disabled: a batch that is gathered over several calls counts as ordered by the numbers that its timers had when they
// were gathered.
TEST(Parked, DISABLED_RunsATimerSetAnewWhileItsTickIsGatheredAfterTheOthers) {
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
