#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Recycle, TheOldEntryServesANewTimerThatIsNotDueBeforeIt) {
  Harness harness;
  const Unit unit = harness.Schedule(10);
  harness.Take();
  harness.Cancel(unit);
  ASSERT_EQ(harness.Schedule(40), unit);
  EXPECT_EQ(harness.control(kSubmitted), 0U);
  EXPECT_EQ(harness.entries(), 1U);
  EXPECT_EQ(harness.RunTo(39), Units{});
  EXPECT_EQ(harness.RunTo(40), Units{unit});
}

TEST(Recycle, ANewTimerThatIsDueBeforeTheOldEntryIsSubmitted) {
  Harness harness;
  const Unit unit = harness.Schedule(40);
  harness.Take();
  harness.Cancel(unit);
  ASSERT_EQ(harness.Schedule(10), unit);
  EXPECT_EQ(harness.RunTo(9), Units{});
  EXPECT_EQ(harness.RunTo(10), Units{unit});
  EXPECT_EQ(harness.RunTo(100), Units{}) << "the old entry is stale";
}

TEST(Recycle, WorksWhileTheRecordStandsInTheSubmissions) {
  Harness harness;
  const Unit unit = harness.Schedule(40);
  harness.Cancel(unit);
  ASSERT_EQ(harness.Schedule(10), unit);
  EXPECT_EQ(harness.control(kSubmitted), 1U);
  EXPECT_EQ(harness.RunTo(9), Units{});
  EXPECT_EQ(harness.RunTo(10), Units{unit});
}

TEST(Recycle, AStaleEntryDoesNotTouchTheTimerNowInItsRecord) {
  Harness harness;
  const Unit unit = harness.Schedule(5000);
  harness.Take();
  harness.Cancel(unit);
  ASSERT_EQ(harness.Schedule(100), unit);
  EXPECT_EQ(harness.RunTo(100), Units{unit});
  ASSERT_EQ(harness.Schedule(9000), unit);
  EXPECT_EQ(harness.RunTo(8999), Units{});
  EXPECT_EQ(harness.RunTo(9000), Units{unit});
}

// Like request deadlines, which are set and cleared at once, again and again. One record and one entry serve all.
TEST(Recycle, SettingAndCancellingWithoutEndNeedsOneEntry) {
  Harness harness;
  for (Tick now = 0; now < 100000; now += 250) {
    harness.RunTo(now);
    for (int i = 0; i < 3; ++i) harness.Cancel(harness.Schedule(now + 30000));
    ASSERT_LE(harness.entries(), 1U);
  }
  EXPECT_EQ(harness.submitter().used(), 1U);
}

}  // namespace
}  // namespace timeout_wheel
