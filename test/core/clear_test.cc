#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Clear, ForgetsTimersOfAllLevelsAndTheSubmissions) {
  Harness harness;
  Units units;
  for (const Tick deadline : {5U, 700U, 200000U, 30000000U}) {
    harness.Take();
    const Units more = harness.ScheduleMany(100, deadline);
    units.insert(units.end(), more.begin(), more.end());
  }
  harness.Take();
  units.push_back(harness.Schedule(40));
  harness.wheel().Clear(300);
  for (const Unit unit : units) {
    harness.submitter().Cancel(unit);
    harness.record(unit).filed = kNone;
  }
  harness.Check();
  EXPECT_FALSE(harness.armed());
  EXPECT_EQ(harness.entries(), 0U);
  EXPECT_EQ(harness.chunks(), 0U);
  EXPECT_EQ(harness.control(kSubmitted), 0U);
  EXPECT_EQ(harness.control(kTick), 300U);
  EXPECT_EQ(harness.RunTo(40000000), Units{});
}

// More slots than a search for the next expiry would look at and find empty.
TEST(Clear, ForgetsManySlotsOfEachLevel) {
  for (const Tick span : {1U, 256U, 65536U, 16777216U}) {
    Harness harness;
    Units units;
    for (Tick i = 1; i <= 100; ++i) units.push_back(harness.submitter().Schedule(2 * span + i * span));
    harness.Take();
    harness.wheel().Clear(0);
    EXPECT_FALSE(harness.armed()) << "slots of " << span << " ticks";
    for (const Unit unit : units) {
      harness.submitter().Cancel(unit);
      harness.record(unit).filed = kNone;
    }
    harness.Check();
  }
}

TEST(Clear, LeavesAWheelThatCanBeUsedAgain) {
  Harness harness;
  const Unit old = harness.Schedule(10);
  harness.Take();
  harness.wheel().Clear(1000);
  harness.submitter().Cancel(old);
  harness.record(old).filed = kNone;
  const Unit unit = harness.Schedule(1010);
  EXPECT_EQ(harness.RunTo(1009), Units{});
  EXPECT_EQ(harness.RunTo(1010), Units{unit});
}

TEST(Clear, InTheMiddleOfALargeTickForgetsItsRest) {
  Harness harness(0, 5);
  const Units units = harness.ScheduleMany(20000, 10);
  const Units ran = harness.Advance(10);
  ASSERT_TRUE(harness.unfinished());
  harness.wheel().Clear(11);
  for (std::size_t i = ran.size(); i < units.size(); ++i) {
    harness.submitter().Cancel(units[i]);
    harness.record(units[i]).filed = kNone;
  }
  EXPECT_FALSE(harness.unfinished());
  EXPECT_EQ(harness.RunTo(1000), Units{});
}

// More than one Advance may look at: the tick is still being gathered.
TEST(Clear, WhileALargeTickIsGatheredLeavesNextTimersToTheirTick) {
  Harness harness(0, 5);
  const Units units = harness.ScheduleMany(20000, 10);
  EXPECT_EQ(harness.Advance(10), Units{});
  ASSERT_TRUE(harness.unfinished());
  harness.wheel().Clear(11);
  for (const Unit unit : units) {
    harness.submitter().Cancel(unit);
    harness.record(unit).filed = kNone;
  }
  const Unit next = harness.Schedule(11);
  EXPECT_EQ(harness.RunTo(10), Units{});
  EXPECT_EQ(harness.RunTo(11), Units{next});
}

}  // namespace
}  // namespace timeout_wheel
