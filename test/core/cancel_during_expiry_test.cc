#include "harness.h"

namespace timeout_wheel {
namespace {

// Runs `act` in the first callback only.
void InFirstCallback(Harness& harness, const std::function<void()>& act) {
  harness.OnExpiry([act, done = false](Unit) mutable {
    if (!done) act();
    done = true;
  });
}

TEST(CancelDuringExpiry, KeepsATimerOfTheSameBatchFromRunning) {
  Harness harness;
  const Unit a = harness.Schedule(10);
  const Unit b = harness.Schedule(10);
  const Unit c = harness.Schedule(11);
  InFirstCallback(harness, [&] { harness.Cancel(b); });
  EXPECT_EQ(harness.RunTo(20), (Units{a, c}));
}

TEST(CancelDuringExpiry, WorksForTimersThatDidNotFitIntoTheExpirations) {
  Harness harness(0, 2);
  const Units units = harness.ScheduleMany(kExpirationsCapacity + 100, 10);
  const Unit last = units.back();
  InFirstCallback(harness, [&] { harness.submitter().Cancel(last); });
  EXPECT_EQ(harness.RunTo(10), Units(units.begin(), units.end() - 1));
}

TEST(CancelDuringExpiry, OfARecordRecycledWhileItWaitsRunsTheNewTimerAtItsOwnTick) {
  Harness harness(0, 2);
  const Units units = harness.ScheduleMany(kExpirationsCapacity + 100, 10);
  const Unit last = units.back();
  InFirstCallback(harness, [&] {
    harness.submitter().Cancel(last);
    EXPECT_EQ(harness.submitter().Schedule(5000), last);
  });
  EXPECT_EQ(harness.RunTo(4999), Units(units.begin(), units.end() - 1));
  EXPECT_EQ(harness.RunTo(5000), Units{last});
}

// An interval schedules the record that has just run again.
TEST(CancelDuringExpiry, SchedulingTheRecordThatRunsMakesAnInterval) {
  Harness harness;
  const Unit unit = harness.Schedule(10);
  harness.OnExpiry([&](Unit ran) { EXPECT_EQ(harness.Schedule(harness.tick() + 9), ran); });
  for (Tick due = 10; due < 2000; due += 10) {
    EXPECT_EQ(harness.RunTo(due - 1), Units{});
    EXPECT_EQ(harness.RunTo(due), Units{unit});
  }
}

}  // namespace
}  // namespace timeout_wheel
