#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(NextExpiry, IsTheEarliestDeadlineOfAllLevels) {
  const std::vector<Tick> rows[] = {
      {1},        {255},        {256},      {700},      {65535},         {70001},
      {20000003}, {0x7ffffff1}, {40, 5000}, {5000, 40}, {750, 701, 760}, {20000000, 70000, 700, 7, 600},
  };
  for (std::vector<Tick> deadlines : rows) {
    Harness harness;
    EXPECT_FALSE(harness.armed());
    for (const Tick deadline : deadlines) {
      harness.Schedule(deadline);
      harness.Take();
    }
    std::sort(deadlines.begin(), deadlines.end());
    EXPECT_EQ(harness.wake(), deadlines[0]) << "after the submissions";
    harness.RunTo(0);
    for (const Tick deadline : deadlines) {
      EXPECT_TRUE(harness.armed());
      EXPECT_EQ(harness.wake(), deadline);
      harness.RunTo(deadline);
    }
    EXPECT_FALSE(harness.armed());
  }
}

TEST(NextExpiry, IsTheTickThatAdvanceHasLeftUnfinished) {
  Harness harness(0, 2);
  harness.ScheduleMany(kExpirationsCapacity + 1, 10);
  harness.Advance(10);
  ASSERT_TRUE(harness.unfinished());
  EXPECT_TRUE(harness.armed());
  EXPECT_EQ(harness.wake(), 10U);
}

TEST(NextExpiry, IsAtMostTheStartOfASlotTooLargeToLookAt) {
  Harness harness;
  harness.ScheduleMany(100, 700);
  harness.RunTo(0);
  EXPECT_EQ(harness.wake(), 512U);
  harness.RunTo(512);
  EXPECT_EQ(harness.wake(), 700U);
}

TEST(NextExpiry, IgnoresFormerDeadlinesOfCancelledAndPostponedTimers) {
  Harness harness;
  Units units;
  for (const Tick deadline : {99U, 100U, 101U, 5000U, 70000U, 20000000U}) units.push_back(harness.Schedule(deadline));
  harness.Take();
  harness.Reschedule(units[0], 50000);
  for (std::size_t i = 1; i < units.size(); ++i) harness.Cancel(units[i]);
  harness.RunTo(0);
  EXPECT_EQ(harness.wake(), 50000U);
  harness.Cancel(units[0]);
  harness.RunTo(1);
  EXPECT_FALSE(harness.armed());
  EXPECT_EQ(harness.entries(), 0U);
}

// Cancelled timers are in more slots than one search prunes. A few searches drop them, without a wake-up for each slot.
TEST(NextExpiry, IsFoundBehindManySlotsOfCancelledTimers) {
  Harness harness;
  Units units;
  for (Tick deadline = 1; deadline <= 256; ++deadline) units.push_back(harness.Schedule(deadline));
  const Unit last = harness.Schedule(400);
  harness.Take();
  for (const Unit unit : units) harness.submitter().Cancel(unit);
  int wake_ups = 0;
  Units ran;
  for (; ran.empty(); ++wake_ups) ran = harness.RunTo(harness.wake());
  EXPECT_EQ(ran, Units{last});
  EXPECT_LE(wake_ups, 7);
}

TEST(NextExpiry, OneSearchLooksAtABoundedNumberOfSlots) {
  constexpr std::uint32_t kMostPruned = 64;
  // The slots of each level.
  for (const Tick span : {1U, 256U, 65536U, 16777216U}) {
    Harness harness;
    Units units;
    for (Tick slot = 2; slot < 122; ++slot) units.push_back(harness.Schedule(slot * span));
    harness.Take();
    for (const Unit unit : units) harness.submitter().Cancel(unit);
    while (harness.entries() != 0) {
      const std::uint32_t before = harness.entries();
      harness.RunTo(0);
      ASSERT_LT(harness.entries(), before);
      ASSERT_LE(before - harness.entries(), kMostPruned) << "slots of " << span << " ticks";
    }
  }
}

// Every packet refreshes a connection's idle timer. The timer never has more than one entry, and the driver is woken
// about once per delay, not once per refresh.
TEST(NextExpiry, WakesSeldomForATimerRefreshedOften) {
  Harness harness;
  const Unit unit = harness.Schedule(30000);
  harness.Take();
  int wake_ups = 0;
  for (Tick now = 0; now < 3600000; now += 500) {
    for (; harness.armed() && !Before(now, harness.wake()); ++wake_ups) {
      ASSERT_EQ(harness.RunTo(now), Units{});
    }
    harness.submitter().Reschedule(unit, now + 30000);
    harness.Take();
    ASSERT_EQ(harness.entries(), 1U);
  }
  EXPECT_LE(wake_ups, 3600000 / 29000);
}

}  // namespace
}  // namespace timeout_wheel
