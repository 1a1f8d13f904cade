#include <random>

#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Limits, AFullBatchFitsIntoTheExpirations) {
  Harness harness;
  const Units units = harness.ScheduleMany(kExpirationsCapacity, 10);
  EXPECT_EQ(harness.Advance(10), units);
  EXPECT_FALSE(harness.unfinished());
}

TEST(Limits, MoreThanTheExpirationsHoldComesInParts) {
  Harness harness(0, 3);
  const Units units = harness.ScheduleMany(2 * kExpirationsCapacity + 5, 10);
  Units ran = harness.Advance(10);
  EXPECT_EQ(ran.size(), kExpirationsCapacity);
  EXPECT_TRUE(harness.unfinished());
  EXPECT_EQ(harness.tick(), 10U) << "the tick is not over";
  EXPECT_TRUE(harness.armed());
  EXPECT_EQ(harness.wake(), 10U) << "the rest is due now";
  const Units rest = harness.RunTo(10);
  ran.insert(ran.end(), rest.begin(), rest.end());
  EXPECT_EQ(ran, units);
  EXPECT_FALSE(harness.unfinished());
}

TEST(Limits, TicksThatTogetherFillTheExpirationsComeInParts) {
  for (const std::uint32_t spare : {0U, 1U, 50U}) {
    Harness harness(0, 2);
    Units expected = harness.ScheduleMany(kExpirationsCapacity - spare, 10);
    for (const Tick deadline : {11U, 12U}) {
      const Units more = harness.ScheduleMany(100, deadline);
      expected.insert(expected.end(), more.begin(), more.end());
    }
    EXPECT_EQ(harness.RunTo(12), expected) << "with room for " << spare << " of the second tick";
  }
}

TEST(Limits, ATickLargerThanTheExpirationsIsSortedAfterRefreshes) {
  std::mt19937 random(1);
  Harness harness(0, 4);
  Units units = harness.ScheduleMany(12000, 10);
  harness.Take();
  std::shuffle(units.begin(), units.end(), random);
  for (const Unit unit : units) harness.submitter().Reschedule(unit, 10);
  EXPECT_EQ(harness.RunTo(10), units);
  EXPECT_EQ(harness.chunks(), 0U);
}

TEST(Limits, SortingATickLargerThanTheExpirationsNeedsNoMoreThanItsBlocksHold) {
  std::mt19937 random(2);
  Harness harness(0, 2);
  Units units = harness.ScheduleMany(2 * kRecordsPerBlock, 100000);
  harness.Take();
  // The greatest number of stale entries, spread over slots of their own.
  for (std::uint32_t i = 0; i < units.size(); ++i) {
    harness.submitter().Reschedule(units[i], 99999 - i / 32 * 256 % 99000);
  }
  harness.Take();
  std::shuffle(units.begin(), units.end(), random);
  for (const Unit unit : units) harness.submitter().Reschedule(unit, 10);
  EXPECT_EQ(harness.RunTo(10), units);
}

// One Advance visits a bounded number of entries, whether they are due, cancelled or to be moved down.
TEST(Limits, OneAdvanceDoesABoundedAmountOfWork) {
  constexpr std::uint32_t kTimers = 40000;
  constexpr std::uint32_t kMostVisited = 20000;
  for (const Tick deadline : {10U, 700U, 70000U, 20000000U}) {
    Harness harness(0, 10);
    const Units units = harness.ScheduleMany(kTimers, deadline);
    harness.Take();
    for (const Unit unit : units) harness.submitter().Cancel(unit);
    std::uint32_t before = harness.entries();
    do {
      EXPECT_EQ(harness.Advance(deadline), Units{});
      EXPECT_LE(before - harness.entries(), kMostVisited);
      before = harness.entries();
    } while (harness.unfinished());
    EXPECT_EQ(harness.entries(), 0U);
  }
}

TEST(Limits, TimersAddedWhileALargeTickIsUnfinishedRunAfterIt) {
  Harness harness(0, 8);
  Units expected = harness.ScheduleMany(20000, 10);
  Units ran = harness.Advance(10);
  ASSERT_TRUE(harness.unfinished());
  const Unit late = harness.submitter().Schedule(10);
  const Unit later = harness.submitter().Schedule(11);
  const Units rest = harness.RunTo(11);
  ran.insert(ran.end(), rest.begin(), rest.end());
  expected.push_back(late);
  expected.push_back(later);
  EXPECT_EQ(ran, expected);
}

// When the timer of a postponed handle is filed, it keeps the order number of the refresh.
TEST(Limits, TimersAddedWhileALargeTickIsHandedOutRunByTheirOrderNumber) {
  Harness harness(0, 3);
  harness.memory().word(kOrder) = 1000;
  Units expected = harness.ScheduleMany(2 * kExpirationsCapacity + 5, 10);
  Units ran = harness.Advance(10);
  ASSERT_TRUE(harness.unfinished());
  ASSERT_EQ(ran.size(), kExpirationsCapacity);
  const Unit last = harness.submitter().Schedule(10);
  harness.memory().word(kOrder) = 10;
  const Unit first = harness.submitter().Schedule(10);
  const Units rest = harness.RunTo(10);
  ran.insert(ran.end(), rest.begin(), rest.end());
  expected.insert(expected.begin() + kExpirationsCapacity, first);
  expected.push_back(last);
  EXPECT_EQ(ran, expected);
}

TEST(Limits, ASlotMovedDownInPartsKeepsTheOrder) {
  Harness harness(0, 12);
  Units expected = harness.ScheduleMany(40000, 20000000);
  harness.Take();
  while (harness.tick() < 20000000) {
    EXPECT_EQ(harness.Advance(20000000 - 1), Units{});
    const Units more = harness.ScheduleMany(100, 20000000);
    expected.insert(expected.end(), more.begin(), more.end());
  }
  EXPECT_EQ(harness.RunTo(20000000), expected);
}

}  // namespace
}  // namespace timeout_wheel
