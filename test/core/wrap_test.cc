#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Wrap, TimersRunOnBothSidesOfIt) {
  Harness harness(0xffffff00);
  const Unit after = harness.Schedule(0x20);
  const Unit before = harness.Schedule(0xfffffff0);
  EXPECT_EQ(harness.RunTo(0xffffffef), Units{});
  EXPECT_EQ(harness.RunTo(0xfffffff0), Units{before});
  EXPECT_EQ(harness.RunTo(0x1f), Units{});
  EXPECT_EQ(harness.RunTo(0x20), Units{after});
}

// These ticks are states of a record. A timer due at one of them runs up to three ticks later.
TEST(Wrap, TimersDueAtATickThatStandsForAStateRunAtTickZero) {
  for (const Tick state : {kSeen, kQueued, kNever}) {
    Harness harness(0xffffff00);
    const Unit unit = harness.Schedule(state);
    harness.Take();
    EXPECT_EQ(harness.RunTo(0xffffffff), Units{});
    EXPECT_EQ(harness.RunTo(0), Units{unit});
  }
}

TEST(Wrap, TimersOfTheLastTicksAndOfTickZeroRunInTheOrderOfScheduling) {
  Harness harness(0xfffffff0);
  const Unit a = harness.Schedule(kNever);
  const Unit b = harness.Schedule(0);
  const Unit c = harness.Schedule(kSeen);
  const Unit before = harness.Schedule(kSeen - 1);
  EXPECT_EQ(harness.RunTo(5), (Units{before, a, b, c}));
}

TEST(Wrap, ATimerMissedAtTheLastTicksRunsAtTickZero) {
  for (const Tick state : {kSeen, kQueued, kNever}) {
    Harness harness(state);
    const Unit missed = harness.Schedule(0xfffffff0);
    EXPECT_EQ(harness.RunTo(0xffffffff), Units{});
    EXPECT_EQ(harness.RunTo(0), Units{missed});
  }
}

TEST(Wrap, ASlotMovedDownAtTheLastTicksKeepsItsTimers) {
  Harness harness(0xfff00000);
  const Units units = harness.ScheduleMany(40, 0xfffffff5);
  harness.Take();
  harness.RunTo(0xfffffe00);
  const Units more = harness.ScheduleMany(40, 0x10);
  EXPECT_EQ(harness.RunTo(0xffffffff), units);
  EXPECT_EQ(harness.RunTo(0x10), more);
}

TEST(Wrap, RefreshingAcrossItWorks) {
  Harness harness(0xffffff80);
  const Unit unit = harness.Schedule(0xffffff90);
  harness.Take();
  Tick now = 0xffffff80;
  for (; Before(now, 0x200); ++now) {
    ASSERT_EQ(harness.RunTo(now), Units{}) << "at " << now;
    harness.Reschedule(unit, now + 16);
  }
  const Tick last = now - 1 + 16;
  EXPECT_EQ(harness.RunTo(last - 1), Units{});
  EXPECT_EQ(harness.RunTo(last), Units{unit});
}

TEST(Wrap, ManyTurnsOfTheScaleAreTheSameAsOne) {
  Harness harness(7);
  for (int i = 0; i < 20; ++i) {
    const Tick deadline = ValidTick(harness.tick() + 0x7ffffffc);
    const Unit unit = harness.Schedule(deadline);
    EXPECT_EQ(harness.RunTo(deadline - 1), Units{});
    EXPECT_EQ(harness.RunTo(deadline), Units{unit});
  }
}

}  // namespace
}  // namespace timeout_wheel
