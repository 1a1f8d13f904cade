// The wheel may be woken within a tick as soon as all timers of the tick are due, if that time is known.
#include <utility>

#include "harness.h"

namespace timeout_wheel {
namespace {

#ifndef __wasm__  // The hosts of WebAssembly know only whole milliseconds.

class DueWithinTick : public testing::Test {
 protected:
  /// A turn of the event loop that sets a timer of `delay` ticks between the two times.
  void Set(double opened, double closed, Tick delay) {
    harness_.wheel().OpenEpoch(opened);
    harness_.Schedule(harness_.control(kNowCeil) + delay);
    EndTurn(closed);
  }
  void EndTurn(double closed) {
    harness_.wheel().CloseEpoch(closed);
    harness_.Take();
  }
  double Latest() { return harness_.wheel().DueWithinWakeTick(); }
  bool IsTickDueAt(double now) {
    harness_.wheel().OpenEpoch(now);
    const bool is_due = harness_.wheel().IsTickDue();
    harness_.wheel().CloseEpoch(now);
    return is_due;
  }

  Harness harness_;
};

TEST_F(DueWithinTick, IsTheEndOfTheTurnThatSetTheTimers) {
  // A turn that sets no timer does not count.
  harness_.wheel().OpenEpoch(9.25);
  harness_.wheel().CloseEpoch(9.5);
  Set(10.25, 10.5, 5);
  EXPECT_EQ(harness_.wake(), 16U);
  EXPECT_EQ(Latest(), 0.5);
  EXPECT_FALSE(IsTickDueAt(14.75));
  EXPECT_FALSE(IsTickDueAt(15.25));
  EXPECT_TRUE(IsTickDueAt(15.5));
  EXPECT_TRUE(IsTickDueAt(15.75));
}

TEST_F(DueWithinTick, IsTheLatestTimeOfTheTimersOfATick) {
  Set(10.25, 10.5, 7);
  Set(12.625, 12.75, 5);
  Set(13.125, 13.25, 4);
  EXPECT_EQ(Latest(), 0.75);
}

// ---- cases in which only the whole tick is known

TEST_F(DueWithinTick, IsUnknownUnlessTheTurnWasWithinOneTick) {
  const std::pair<double, double> turns[] = {{10.25, 11.25}, {30.25, 31}, {50, 50.25}};
  for (const auto& [opened, closed] : turns) {
    Set(opened, closed, 5);
    EXPECT_EQ(Latest(), 1) << "from " << opened << " to " << closed;
    harness_.RunTo(static_cast<Tick>(closed) + 10);
  }
}

TEST_F(DueWithinTick, IsUnknownWhileTheEpochIsOpen) {
  // The end of this epoch must not count for the next one.
  harness_.wheel().OpenEpoch(10.0625);
  harness_.wheel().CloseEpoch(10.125);
  harness_.wheel().OpenEpoch(10.25);
  harness_.Schedule(harness_.control(kNowCeil) + 5);
  harness_.Take();
  EXPECT_EQ(Latest(), 1);
  harness_.Schedule(harness_.control(kNowCeil) + 4);
  EndTurn(10.5);
  EXPECT_EQ(Latest(), 0.5) << "known for timers set later in that epoch";
}

TEST_F(DueWithinTick, IsUnknownForInexactTimers) {
  harness_.memory().word(kInexact) = 1;
  Set(10.25, 10.5, 5);
  EXPECT_EQ(Latest(), 1);
  harness_.RunTo(16);
  Set(20.25, 20.5, 5);
  EXPECT_EQ(Latest(), 0.5) << "unknown only for the inexact timer";
}

#endif

}  // namespace
}  // namespace timeout_wheel
