#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Cancel, KeepsATimerFromRunning) {
  Harness harness;
  const Unit unit = harness.Schedule(10);
  harness.Take();
  harness.Cancel(unit);
  EXPECT_EQ(harness.RunTo(1000), Units{});
}

TEST(Cancel, OfASubmittedTimerLeavesNothingToFile) {
  Harness harness;
  const Unit unit = harness.Schedule(10);
  harness.Cancel(unit);
  harness.Take();
  EXPECT_EQ(harness.entries(), 0U);
  EXPECT_FALSE(harness.armed());
  EXPECT_EQ(harness.record(unit).filed, kNone);
}

// More timers than the search for the next expiry looks at. So their entries stay until the wheel reaches their slot.
TEST(Cancel, DropsTheEntriesWhenTheirSlotIsReached) {
  for (const Tick deadline : {Tick{100}, Tick{600}, Tick{100000}, Tick{20000000}}) {
    Harness harness;
    const Units units = harness.ScheduleMany(200, deadline);
    harness.Take();
    for (const Unit unit : units) harness.submitter().Cancel(unit);
    EXPECT_EQ(harness.entries(), 200U) << "cancelling costs one store: the entries are still there";
    EXPECT_EQ(harness.RunTo(deadline), Units{});
    EXPECT_EQ(harness.entries(), 0U);
    EXPECT_EQ(harness.chunks(), 0U);
    for (const Unit unit : units) EXPECT_EQ(harness.record(unit).filed, kNone);
  }
}

TEST(Cancel, MakesTheRecordTheNextToBeTaken) {
  Harness harness;
  const Unit a = harness.Schedule(10);
  const Unit b = harness.Schedule(10);
  harness.Cancel(a);
  harness.Cancel(b);
  EXPECT_EQ(harness.Schedule(20), b);
  EXPECT_EQ(harness.Schedule(20), a);
}

TEST(Cancel, LowersTheNumberOfPendingTimers) {
  Harness harness;
  EXPECT_EQ(harness.submitter().pending(), 0U);
  const Unit first = harness.Schedule(10);
  harness.Schedule(10);
  EXPECT_EQ(harness.submitter().pending(), 2U);
  harness.Cancel(first);
  EXPECT_EQ(harness.submitter().pending(), 1U);
  harness.RunTo(10);
  EXPECT_EQ(harness.submitter().pending(), 0U);
}

}  // namespace
}  // namespace timeout_wheel
