#include "harness.h"

namespace timeout_wheel {
namespace {

// A tick whose timers do not fit into the expirations is handed over in parts. The clock may advance between them.
constexpr Tick kTick = 10;

TEST(Parked, RunsAPostponedTimerInTheOrderOfDeadlines) {
  Harness harness;
  const Units batch = harness.ScheduleMany(kExpirationsCapacity, kTick);
  harness.Grow(1);
  const Unit last = harness.Schedule(kTick);
  ASSERT_EQ(harness.Expire(kTick), kExpirationsCapacity);
  ASSERT_TRUE(harness.unfinished());
  harness.Reschedule(last, kTick + 5);
  const Unit before = harness.Schedule(kTick + 3);
  EXPECT_EQ(harness.Dispatch(kTick, kExpirationsCapacity), batch);
  EXPECT_EQ(harness.RunTo(kTick + 10), (Units{before, last}));
}

TEST(Parked, RunsATimerSetAnewWhileItsTickIsGatheredAfterTheOthers) {
  Harness harness(0, 5);
  Units batch = harness.ScheduleMany(20000, kTick);
  ASSERT_EQ(harness.Expire(kTick), 0U);
  ASSERT_TRUE(harness.unfinished());
  harness.Reschedule(batch[0], kTick);
  std::rotate(batch.begin(), batch.begin() + 1, batch.end());
  EXPECT_EQ(harness.RunTo(kTick), batch);
}

// The record has two entries in its tick's slot, so it is parked twice.
TEST(Parked, HandsOverOnceATimerSetAnewWhileItsTickIsGathered) {
  Harness harness(0, 5);
  const Units batch = harness.ScheduleMany(20000, kTick);
  ASSERT_EQ(harness.Expire(kTick), 0U);
  ASSERT_TRUE(harness.unfinished());
  harness.Reschedule(batch[0], kTick);
  std::uint32_t handed_over = 0;
  do {
    const std::uint32_t count = harness.Expire(kTick);
    handed_over += count;
    harness.Dispatch(kTick, count);
  } while (harness.unfinished());
  EXPECT_EQ(handed_over, batch.size());
}

// Like a far deadline, which is approached in steps: the record is filed again with the order number of its expiry.
TEST(Parked, RunsATimerThatStoodLastAndKeepsItsOrderNumber) {
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

// The record was the last one handed over, and is alone in the rest that is gathered again.
TEST(Parked, RunsATimerAgainThatStoodLastAndIsSetAnewForTheSameTick) {
  Harness harness(0, 2);
  const Units batch = harness.ScheduleMany(kExpirationsCapacity + 1, kTick);
  ASSERT_EQ(harness.RunTo(kTick - 1), Units{});
  const std::uint32_t count = harness.Expire(kTick);
  ASSERT_EQ(count, kExpirationsCapacity);
  ASSERT_TRUE(harness.unfinished());
  harness.Dispatch(kTick, count);
  const Unit again = harness.Schedule(kTick);
  ASSERT_EQ(again, batch[count - 1]);
  harness.Reschedule(batch[count], kTick + 1);
  EXPECT_EQ(harness.RunTo(kTick), Units{again});
  EXPECT_EQ(harness.RunTo(kTick + 1), Units{batch[count]});
}

}  // namespace
}  // namespace timeout_wheel
