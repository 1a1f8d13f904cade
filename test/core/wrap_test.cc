#include "harness.h"

namespace timeout_wheel {
namespace {

// These ticks are states of a record. A timer due at one of them runs up to three ticks later.
TEST(Wrap, TimersDueOrMissedAtATickThatStandsForAStateRunAtTickZero) {
  for (const Tick state : {kSeen, kQueued, kNever}) {
    Harness before(0xffffff00);
    const Unit due = before.Schedule(state);
    before.Take();
    EXPECT_EQ(before.RunAt(0), Units{due});

    Harness at(state);
    const Unit missed = at.Schedule(0xfffffff0);
    EXPECT_EQ(at.RunTo(0xffffffff), Units{});
    EXPECT_EQ(at.RunTo(0), Units{missed});
  }
}

// A wheel that visits empty ticks one by one would run for hours here.
TEST(Wrap, EmptyTimeIsSkippedForManyTurnsOfTheScale) {
  constexpr Tick kFarthest = 0x7ffffffc;
  Harness harness(7);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(harness.RunTo(harness.tick() + kFarthest - 1), Units{});
    const Tick deadline = ValidTick(harness.tick() + kFarthest);
    const Unit unit = harness.Schedule(deadline);
    ASSERT_EQ(harness.RunAt(deadline), Units{unit});
  }
}

}  // namespace
}  // namespace timeout_wheel
