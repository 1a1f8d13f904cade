#include <random>

#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Order, IsTheOrderOfSchedulingWithinATick) {
  Harness harness;
  const Unit a = harness.Schedule(5);
  const Unit b = harness.Schedule(5);
  const Unit c = harness.Schedule(5);
  EXPECT_EQ(harness.RunTo(5), (Units{a, b, c}));
}

TEST(Order, HoldsForOneTickScheduledFromEveryDistance) {
  constexpr Tick kDeadline = 100000;
  for (const Tick start : {Tick{0}, Tick{65536}, Tick{99000}}) {
    Harness harness(start);
    Units scheduled;
    for (const Tick now : {0U, 40000U, 65535U, 65536U, 99327U, 99328U, 99583U, 99584U, 99999U}) {
      if (now > start) harness.RunTo(now - 1);
      scheduled.push_back(harness.Schedule(kDeadline));
      harness.Take();
    }
    EXPECT_EQ(harness.RunTo(kDeadline), scheduled) << "started at " << start;
  }
}

// A slot with few timers is moved down only at its start, which is the tick itself.
TEST(Order, HoldsForFewTimersOfTheFirstTickOfASlot) {
  for (const Tick deadline : {256U, 65536U, 16777216U, 33554432U}) {
    Harness harness;
    Units scheduled;
    for (const Tick before : {deadline, 65800U, 300U, 20U}) {
      if (before > deadline) continue;
      if (before < deadline) harness.RunTo(deadline - before - 1);
      scheduled.push_back(harness.Schedule(deadline));
      harness.Take();
    }
    EXPECT_EQ(harness.RunTo(deadline), scheduled) << "due at " << deadline;
  }
}

// Merging runs sorts a batch. The test covers every length and every place of a border between runs.
TEST(Order, HoldsForBatchesOfEveryLengthRefreshedAtRandom) {
  for (std::uint32_t length = 1; length <= 40; ++length) {
    std::mt19937 random(length);
    Harness harness;
    Units units = harness.ScheduleMany(length, 7);
    harness.Take();
    std::shuffle(units.begin(), units.end(), random);
    for (const Unit unit : units) harness.submitter().Reschedule(unit, 7);
    EXPECT_EQ(harness.RunTo(7), units) << length << " timers";
  }
}

TEST(Order, HoldsForSeveralBatchesInOneAdvance) {
  Harness harness;
  Units expected;
  for (const Tick deadline : {3U, 4U, 300U}) {
    Units units = harness.ScheduleMany(100, deadline);
    harness.Take();
    std::reverse(units.begin(), units.end());
    for (const Unit unit : units) harness.submitter().Reschedule(unit, deadline);
    expected.insert(expected.end(), units.begin(), units.end());
  }
  EXPECT_EQ(harness.RunTo(1000), expected);
}

}  // namespace
}  // namespace timeout_wheel
