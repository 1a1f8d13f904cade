#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(NextExpiry, AnEmptyWheelIsNotArmed) {
  Harness harness;
  EXPECT_FALSE(harness.armed());
  harness.RunTo(1000);
  EXPECT_FALSE(harness.armed());
}

TEST(NextExpiry, IsTheDeadlineItselfAtEveryDistance) {
  for (const Tick deadline : {1U, 255U, 256U, 700U, 65535U, 70001U, 20000003U, 0x7ffffff1U}) {
    Harness harness;
    harness.Schedule(deadline);
    harness.RunTo(0);
    EXPECT_TRUE(harness.armed());
    EXPECT_EQ(harness.wake(), deadline);
  }
}

TEST(NextExpiry, IsTheEarliestOfAllLevels) {
  Harness harness;
  for (const Tick deadline : {20000000U, 70000U, 700U, 7U, 600U}) {
    harness.Schedule(deadline);
    harness.Take();
  }
  for (const Tick deadline : {7U, 600U, 700U, 70000U, 20000000U}) {
    EXPECT_EQ(harness.wake(), deadline);
    harness.RunTo(deadline);
  }
  EXPECT_FALSE(harness.armed());
}

TEST(NextExpiry, IsTheEarliestOfItsSlotWhateverTheOrderOfFiling) {
  Harness harness;
  for (const Tick deadline : {750U, 701U, 760U}) harness.Schedule(deadline);
  harness.RunTo(0);
  EXPECT_EQ(harness.wake(), 701U);
}

TEST(NextExpiry, IsBroughtForwardByASubmission) {
  Harness harness;
  harness.Schedule(5000);
  harness.Take();
  harness.Schedule(40);
  harness.Take();
  EXPECT_EQ(harness.wake(), 40U);
}

TEST(NextExpiry, IsNotPutOffByASubmission) {
  Harness harness;
  harness.Schedule(40);
  harness.Take();
  harness.Schedule(5000);
  harness.Take();
  EXPECT_EQ(harness.wake(), 40U);
}

TEST(NextExpiry, IsTheNextTickForATimerThatIsOverdue) {
  Harness harness;
  harness.RunTo(999);
  harness.Schedule(10);
  harness.Take();
  EXPECT_EQ(harness.wake(), 1000U);
}

TEST(NextExpiry, IsAtMostTheStartOfASlotTooLargeToLookAt) {
  Harness harness;
  harness.ScheduleMany(100, 700);
  harness.RunTo(0);
  EXPECT_EQ(harness.wake(), 512U);
  harness.RunTo(512);
  EXPECT_EQ(harness.wake(), 700U);
}

TEST(NextExpiry, IgnoresACancelledTimer) {
  Harness harness;
  const Unit first = harness.Schedule(100);
  harness.Schedule(50000);
  harness.Take();
  harness.Cancel(first);
  harness.RunTo(0);
  EXPECT_EQ(harness.wake(), 50000U);
  EXPECT_EQ(harness.entries(), 1U);
}

TEST(NextExpiry, IgnoresTheFormerDeadlineOfAPostponedTimer) {
  Harness harness;
  const Unit unit = harness.Schedule(100);
  harness.Take();
  harness.Reschedule(unit, 50000);
  harness.RunTo(0);
  EXPECT_EQ(harness.wake(), 50000U);
}

TEST(NextExpiry, IsNoneWhenAllHaveBeenCancelled) {
  Harness harness;
  for (const Tick deadline : {100U, 101U, 5000U, 70000U, 20000000U}) {
    const Unit unit = harness.Schedule(deadline);
    harness.Take();
    harness.Cancel(unit);
  }
  harness.RunTo(0);
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

// Every packet refreshes a connection's idle timer. The driver is woken about once per delay, not once per refresh.
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
  }
  EXPECT_LE(wake_ups, 3600000 / 29000);
}

}  // namespace
}  // namespace timeout_wheel
