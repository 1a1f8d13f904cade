#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(RescheduleLater, RunsATimerAtItsNewTickOnly) {
  for (const Tick later : {11U, 300U, 70000U, 20000000U}) {
    Harness harness;
    const Unit unit = harness.Schedule(10);
    harness.Take();
    harness.Reschedule(unit, later);
    EXPECT_EQ(harness.RunTo(later - 1), Units{});
    EXPECT_EQ(harness.RunTo(later), Units{unit});
  }
}

TEST(RescheduleLater, SubmitsNothingAndAddsNoEntry) {
  Harness harness;
  const Unit unit = harness.Schedule(10);
  harness.Take();
  for (Tick later = 11; later < 5000; later += 7) harness.Reschedule(unit, later);
  EXPECT_EQ(harness.control(kSubmitted), 0U);
  EXPECT_EQ(harness.entries(), 1U);
}

TEST(RescheduleLater, WorksWhileTheRecordStandsInTheSubmissions) {
  Harness harness;
  const Unit unit = harness.Schedule(10);
  harness.Reschedule(unit, 500);
  EXPECT_EQ(harness.control(kSubmitted), 1U);
  EXPECT_EQ(harness.RunTo(499), Units{});
  EXPECT_EQ(harness.RunTo(500), Units{unit});
}

// Like the timer of an idle connection, which is refreshed again and again: it never has more than one entry.
TEST(RescheduleLater, AgainAndAgainKeepsOneEntry) {
  Harness harness;
  const Unit unit = harness.Schedule(1000);
  Tick now = 0;
  for (; now < 300000; now += 100) {
    EXPECT_EQ(harness.RunTo(now), Units{});
    harness.Reschedule(unit, now + 1000);
    ASSERT_LE(harness.entries(), 1U);
  }
  EXPECT_EQ(harness.RunTo(now - 100 + 999), Units{});
  EXPECT_EQ(harness.RunTo(now - 100 + 1000), Units{unit});
}

TEST(RescheduleEarlier, RunsATimerAtItsNewTickOnly) {
  for (const Tick earlier : {0U, 1U, 255U, 256U, 300U, 65536U, 70000U, 20000000U}) {
    Harness harness;
    const Unit unit = harness.Schedule(30000000);
    harness.Take();
    harness.Reschedule(unit, earlier);
    if (earlier != 0) {
      EXPECT_EQ(harness.RunTo(earlier - 1), Units{});
    }
    EXPECT_EQ(harness.RunTo(earlier), Units{unit});
    EXPECT_EQ(harness.RunTo(30000001), Units{}) << "the former entry is stale";
    EXPECT_EQ(harness.entries(), 0U);
  }
}

TEST(RescheduleEarlier, WithinItsSlotButBeforeTheArmedWakeUpIsSubmitted) {
  Harness harness;
  const Unit unit = harness.Schedule(1000);
  harness.Take();
  harness.RunTo(0);
  ASSERT_EQ(harness.wake(), 1000U);
  ASSERT_LE(harness.record(unit).filed, 900U) << "the entry would serve, were it not for the wake-up";
  harness.Reschedule(unit, 900);
  harness.Take();
  EXPECT_EQ(harness.wake(), 900U);
  EXPECT_EQ(harness.RunTo(899), Units{});
  EXPECT_EQ(harness.RunTo(900), Units{unit});
}

TEST(RescheduleEarlier, ThenBackIntoTheFormerSlotRunsOnce) {
  Harness harness;
  const Unit unit = harness.Schedule(1000);
  harness.Take();
  harness.Reschedule(unit, 100);
  harness.Take();
  harness.Reschedule(unit, 1000);
  EXPECT_EQ(harness.RunTo(999), Units{});
  EXPECT_EQ(harness.RunTo(1000), Units{unit});
  EXPECT_EQ(harness.RunTo(2000), Units{});
}

TEST(RescheduleEarlier, TheFormerEntryIsDroppedWhenItsSlotIsReached) {
  Harness harness;
  const Unit unit = harness.Schedule(300);
  harness.Take();
  harness.Reschedule(unit, 100);
  harness.Take();
  harness.Reschedule(unit, 500000);
  EXPECT_EQ(harness.entries(), 2U);
  EXPECT_EQ(harness.RunTo(300), Units{});
  EXPECT_EQ(harness.entries(), 1U);
  EXPECT_EQ(harness.RunTo(499999), Units{});
  EXPECT_EQ(harness.RunTo(500000), Units{unit});
}

TEST(RescheduleEarlier, WorksWhileTheRecordStandsInTheSubmissions) {
  Harness harness;
  const Unit unit = harness.Schedule(5000);
  harness.Reschedule(unit, 3);
  EXPECT_EQ(harness.control(kSubmitted), 1U);
  EXPECT_EQ(harness.RunTo(2), Units{});
  EXPECT_EQ(harness.RunTo(3), Units{unit});
}

}  // namespace
}  // namespace timeout_wheel
