#include "harness.h"

namespace timeout_wheel {
namespace {

// A tick whose timers do not fit into the expirations is handed over in parts. The clock may advance between them.
constexpr Tick kTick = 10;

TEST(Parked, RunsAPostponedTimerInTheOrderOfDeadlines) {
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

// The record has two entries in its tick's slot, so it is parked twice.
TEST(Parked, HandsOverOnceAndLastATimerSetAnewWhileItsTickIsGathered) {
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
