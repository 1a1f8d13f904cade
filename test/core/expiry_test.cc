#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Expiry, RunsATimerAtItsTickAndNotBefore) {
  Harness harness;
  const Unit unit = harness.Schedule(100);
  EXPECT_EQ(harness.RunTo(99), Units{});
  EXPECT_EQ(harness.RunTo(100), Units{unit});
}

TEST(Expiry, RunsATimerThatIsDueInTheNextTickToProcess) {
  Harness harness(50);
  const Unit unit = harness.Schedule(50);
  EXPECT_EQ(harness.RunTo(50), Units{unit});
}

TEST(Expiry, RunsATimerWhoseTickIsPastInTheNextTick) {
  Harness harness;
  harness.RunTo(1000);
  const Unit unit = harness.Schedule(400);
  EXPECT_EQ(harness.RunTo(1001), Units{unit});
}

TEST(Expiry, DoesNothingWhenToldOfATickThatIsPast) {
  Harness harness;
  harness.Schedule(20);
  harness.RunTo(10);
  EXPECT_EQ(harness.RunTo(5), Units{});
  EXPECT_EQ(harness.tick(), 11U);
}

TEST(Expiry, TakesTheSubmissionsItself) {
  Harness harness;
  harness.Schedule(1);
  EXPECT_EQ(harness.control(kSubmitted), 1U);
  harness.Advance(0);
  EXPECT_EQ(harness.control(kSubmitted), 0U);
  EXPECT_EQ(harness.entries(), 1U);
}

TEST(Expiry, RunsTimersThatACallbackScheduledOnlyInALaterTick) {
  Harness harness;
  harness.Schedule(10);
  Unit added = 0;
  harness.OnExpiry([&](Unit) {
    if (added == 0) added = harness.submitter().Schedule(11);
  });
  harness.RunTo(10);
  EXPECT_NE(added, 0U);
  EXPECT_EQ(harness.RunTo(11), Units{added});
}

}  // namespace
}  // namespace timeout_wheel
