#include <random>

#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Limits, TicksThatTogetherFillTheExpirationsComeInParts) {
  for (const std::uint32_t spare : {0U, 1U, 50U}) {
    Harness harness(0, 2);
    Units expected = harness.ScheduleMany(kExpirationsCapacity - spare, 10);
    for (const Tick deadline : {11U, 12U}) {
      Add(expected, harness.ScheduleMany(100, deadline));
    }
    EXPECT_EQ(harness.RunTo(12), expected) << "with room for " << spare << " of the second tick";
  }
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
  EXPECT_EQ(harness.RunTo(100000), Units{});
  EXPECT_EQ(harness.chunks(), 0U);
}

// One Advance visits a bounded number of entries, whether they are due, cancelled or to be moved down.
TEST(Limits, OneAdvanceDoesABoundedAmountOfWork) {
  constexpr std::uint32_t kTimers = 40000;
  constexpr std::uint32_t kMostVisited = 20000;
  for (const Tick deadline : {10U, 700U, 200000U, 20000000U}) {
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

}  // namespace
}  // namespace timeout_wheel
