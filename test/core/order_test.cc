#include <random>

#include "harness.h"

namespace timeout_wheel {
namespace {

// Merging runs sorts a batch. The test covers every length and every place of a border between runs. A batch larger
// than the expirations is sorted by the digits of its order numbers, which other operations can lie between.
TEST(Order, HoldsForBatchesOfEveryLengthRefreshedAtRandom) {
  constexpr std::uint32_t kLarge = 3 * kExpirationsCapacity;
  for (std::uint32_t length = 1; length <= kLarge; length = length < 40 ? length + 1 : length + kLarge - 40) {
    for (const std::uint32_t stride : {1U, 3U, 80000U}) {
      SCOPED_TRACE(testing::Message() << length << " timers, each " << stride << " operations after the other");
      std::mt19937 random(length);
      Harness harness(0, 4);
      Units units = harness.ScheduleMany(length, 7);
      harness.Take();
      std::shuffle(units.begin(), units.end(), random);
      for (const Unit unit : units) {
        harness.submitter().Reschedule(unit, 7);
        harness.memory().word(kOrder) += stride - 1;
      }
      EXPECT_EQ(harness.RunTo(7), units);
      EXPECT_EQ(harness.chunks(), 0U);
    }
  }
}

// When the timer of a postponed handle is filed, it keeps the order number of the refresh.
TEST(Order, HoldsForTimersAddedWhileALargeTickIsHandedOver) {
  Harness harness(0, 3);
  harness.memory().word(kOrder) = 1000;
  Units expected = harness.ScheduleMany(2 * kExpirationsCapacity + 5, 10);
  Units ran = harness.Advance(10);
  ASSERT_TRUE(harness.unfinished());
  ASSERT_EQ(ran.size(), kExpirationsCapacity);
  const Unit last = harness.submitter().Schedule(10);
  harness.memory().word(kOrder) = 10;
  const Unit first = harness.submitter().Schedule(10);
  Add(ran, harness.RunTo(10));
  expected.insert(expected.begin() + kExpirationsCapacity, first);
  expected.push_back(last);
  EXPECT_EQ(ran, expected);
}

// Like a far deadline, which is approached in steps: the record is filed again with the order number of its expiry.
TEST(Order, HoldsForATimerThatStoodLastInALargeTickAndKeepsItsOrderNumber) {
  constexpr Tick kTick = 10;
  constexpr Tick kNext = 20;
  Harness harness(0, 2);
  harness.ScheduleMany(kExpirationsCapacity, kTick);
  const Unit last = harness.Schedule(kTick);
  ASSERT_EQ(harness.RunTo(kTick - 1), Units{});
  std::uint32_t count = 0;
  do {
    harness.Dispatch(kTick, count);
    count = harness.Expire(kTick);
  } while (harness.unfinished());
  ASSERT_EQ(count, 1U);
  ASSERT_EQ(harness.memory().expiration(0), last);
  Units expected = harness.ScheduleMany(kExpirationsCapacity, kNext);
  harness.Take();
  harness.record(last).deadline = kNext;
  harness.record(last).filed = kQueued;
  harness.memory().submission(harness.memory().word(kSubmitted)++) = last;
  expected.insert(expected.begin(), last);
  EXPECT_EQ(harness.RunTo(kNext), expected);
}

// A tick whose timers do not fit into the expirations is handed over in parts. The clock may advance between them.
TEST(Order, HoldsForATimerPostponedWhileItsTickIsHandedOver) {
  constexpr Tick kTick = 10;
  Harness harness(0, 2);
  const Units batch = harness.ScheduleMany(kExpirationsCapacity, kTick);
  const Unit last = harness.Schedule(kTick);
  ASSERT_EQ(harness.Expire(kTick), kExpirationsCapacity);
  ASSERT_TRUE(harness.unfinished());
  harness.Reschedule(last, kTick + 5);
  const Unit before = harness.Schedule(kTick + 3);
  EXPECT_EQ(harness.Dispatch(kTick, kExpirationsCapacity), batch);
  EXPECT_EQ(harness.RunTo(kTick + 10), (Units{before, last}));
}

// The record has two entries in its tick's slot, so it waits twice. It is handed over once, as the last.
TEST(Order, HoldsForATimerSetAnewWhileItsTickIsGathered) {
  constexpr Tick kTick = 10;
  Harness harness(0, 5);
  Units batch = harness.ScheduleMany(20000, kTick);
  ASSERT_EQ(harness.Expire(kTick), 0U);
  ASSERT_TRUE(harness.unfinished());
  harness.Reschedule(batch[0], kTick);
  std::rotate(batch.begin(), batch.begin() + 1, batch.end());
  std::uint32_t handed_over = 0;
  Units ran;
  do {
    const std::uint32_t count = harness.Expire(kTick);
    handed_over += count;
    Add(ran, harness.Dispatch(kTick, count));
  } while (harness.unfinished());
  EXPECT_EQ(ran, batch);
  EXPECT_EQ(handed_over, batch.size());
}

}  // namespace
}  // namespace timeout_wheel
