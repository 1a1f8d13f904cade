// Stale entries: how many there can be, and how often they wake the process.
#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Entries, AreReusedByTimersThatAreRefreshed) {
  Harness wheel;
  const Unit unit = wheel.Set(1000);
  for (int i = 0; i < 500; ++i) {
    wheel.Pass(1);
    wheel.Move(unit, 1000);
  }
  EXPECT_EQ(wheel.entries(), 1U);
  EXPECT_EQ(wheel.RunTo(1499), Units{});
  EXPECT_EQ(wheel.RunTo(1500), Units{unit});
}

// Moves timers to earlier and earlier slots. Each move leaves a stale entry, so sweeps follow. Returns the last delay.
double LeaveStaleEntries(Harness& wheel, const Units& units) {
  double delay = 1'000'000;
  for (int round = 0; round < 12; ++round) {
    delay /= 2;
    for (const Unit unit : units) wheel.Move(unit, delay);
    EXPECT_LE(wheel.entries(), 2 * kRecordsPerBlock);
  }
  return delay;
}

TEST(Entries, AreSweptWhenTheyAreTwiceAsManyAsUnits) {
  Harness wheel;
  wheel.CheckOneIn(20'000);
  const Units units = wheel.SetMany(kRecordsPerBlock - 1, 1'000'000);
  EXPECT_EQ(wheel.RunTo(LeaveStaleEntries(wheel, units)).size(), units.size());
}

TEST(Entries, AreNotSweptBeforeInAMemoryThatHasGrown) {
  Harness wheel;
  wheel.CheckOneIn(20'000);
  wheel.Grow(1);
  const Units units = wheel.SetMany(40'000, 1'000'000);
  for (const double delay : {500'000.0, 250'000.0}) {
    for (const Unit unit : units) wheel.Move(unit, delay);
  }
  wheel.Apply();
  EXPECT_EQ(wheel.entries(), 3 * units.size());
}

TEST(Entries, OfDueTimersThatWaitInTheBatchSurviveASweep) {
  Harness wheel;
  wheel.CheckOneIn(20'000);
  const Units due = wheel.SetMany(10'000, 5);
  wheel.Apply();
  wheel.PassTo(5);
  Units ran = wheel.Expire();
  ASSERT_TRUE(wheel.unfinished());
  LeaveStaleEntries(wheel, wheel.SetMany(20'000, 1'000'000));
  const Units rest = wheel.Run();
  ran.insert(ran.end(), rest.begin(), rest.end());
  EXPECT_EQ(ran, due);
}

TEST(Entries, OfAMillionClearedTimersWakeAtMostOnceForEachSlot) {
  Harness wheel({.blocks = 28});
  wheel.CheckOneIn(UINT32_MAX);
  const Unit last = wheel.Set(3'600'000);
  // Over a minute: all slots of 256 ms of level 1.
  Units units(1'000'000);
  for (std::size_t i = 0; i < units.size(); ++i) units[i] = wheel.client().Set(1 + i % 60'000);
  for (const Unit unit : units) wheel.client().Cancel(unit);
  EXPECT_EQ(wheel.RunTo(3'600'000), Units{last});
  EXPECT_LE(wheel.wakes(), 256U + 60'000 / 256);
}

TEST(Entries, OfRefreshedTimersWakeRarely) {
  Harness wheel;
  const Units units = wheel.SetMany(300, 100);
  for (int i = 0; i < 200; ++i) {
    for (const Unit unit : units) wheel.client().Move(unit, 100);
    wheel.RunTo(wheel.now() + 5);
  }
  EXPECT_LE(wheel.wakes(), 20U);
}

TEST(Entries, OfATimerThatIsMovedWithinItsTickDoNotWakeBeforeIt) {
  Harness wheel;
  const Unit unit = wheel.Set(10.25);
  EXPECT_EQ(wheel.EndTurn(), 10.25);
  // It keeps its entry, so nothing is filed.
  wheel.Move(unit, 10.75);
  EXPECT_EQ(wheel.EndTurn(), 10.75);
}

TEST(Entries, LeaveNoWakeUpAndNoChunkWhenNothingIsPending) {
  Harness wheel;
  for (const double delay : {1.0, 300.0, 70'000.0, 1e9, 1e12}) wheel.Cancel(wheel.Set(delay));
  EXPECT_EQ(wheel.EndTurn(), TimerWheel::kNever);
  EXPECT_EQ(wheel.entries(), 0U);
  EXPECT_EQ(wheel.chunks(), 0U);
}

}  // namespace
}  // namespace timeout_wheel
