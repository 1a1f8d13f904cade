#include "harness.h"

namespace timeout_wheel {
namespace {

constexpr Tick kFar = 16000000;

// Shortens deadlines, which begin at kFar, by one slot at a time until a sweep drops the stale entries. Returns the
// timers in the order in which they are due.
Units ShortenUntilSwept(Harness& harness, Units units) {
  constexpr Tick kStep = 65536;
  harness.Take();
  for (std::size_t turn = 0;; ++turn) {
    const Unit unit = units[turn % units.size()];
    const std::uint32_t before = harness.entries();
    harness.submitter().Reschedule(unit, harness.record(unit).deadline - kStep);
    harness.wheel().TakeSubmissions();
    if (harness.entries() < before) break;
    if (harness.entries() == before) {
      ADD_FAILURE() << "no stale entry was left";
      break;
    }
  }
  harness.Check();
  std::sort(units.begin(), units.end(), [&](Unit a, Unit b) {
    const Record& x = harness.record(a);
    const Record& y = harness.record(b);
    return x.deadline != y.deadline ? x.deadline < y.deadline : x.order < y.order;
  });
  return units;
}

TEST(Sweep, KeepsOneEntryOfEveryTimerAndTheOrder) {
  Harness harness;
  Units expected;
  for (const Tick deadline : {100U, 700U, 70000U}) Add(expected, harness.ScheduleMany(50, deadline));
  harness.Take();
  const Units put_off(expected.begin() + 50, expected.begin() + 60);
  for (const Unit unit : put_off) harness.Reschedule(unit, 900);
  std::rotate(expected.begin() + 50, expected.begin() + 60, expected.begin() + 100);
  const Units far = harness.ScheduleMany(50, 20000000);
  const Units cancelled = harness.ScheduleMany(2000, 20000000);
  const Units shortened = harness.ScheduleMany(200, kFar);
  harness.Take();
  for (const Unit unit : cancelled) harness.submitter().Cancel(unit);
  Add(expected, ShortenUntilSwept(harness, shortened));
  Add(expected, far);
  EXPECT_LE(harness.entries(), expected.size() + 1) << "one entry each, and one of the last operation";
  for (const Unit unit : cancelled) ASSERT_EQ(harness.record(unit).filed, kNone);
  EXPECT_EQ(harness.RunTo(99), Units{});
  EXPECT_EQ(harness.RunTo(20000000), expected);
  EXPECT_EQ(harness.entries(), 0U);
}

// A deadline shortened within its slot, to before the wake-up, leaves a valid entry. So one slot holds many for a
// record.
TEST(Sweep, LeavesOneEntryOfARecordThatHasManyInItsSlot) {
  Harness harness;
  Units units = harness.ScheduleMany(100, 500000);
  harness.Take();
  std::uint32_t sweeps = 0;
  for (Tick i = 1; i <= 5 * kRecordsPerBlock; ++i) {
    const std::uint32_t before = harness.entries();
    harness.submitter().Reschedule(units[i % units.size()], 500000 - i);
    harness.wheel().TakeSubmissions();
    if (harness.entries() > before) continue;
    ++sweeps;
    ASSERT_EQ(harness.entries(), units.size());
  }
  EXPECT_EQ(sweeps, 2U);
  harness.Check();
  std::rotate(units.begin(), units.begin() + 1, units.end());
  std::reverse(units.begin(), units.end());
  EXPECT_EQ(harness.RunTo(500000), units);
  EXPECT_EQ(harness.entries(), 0U);
}

TEST(Sweep, InTheMiddleOfALargeTickLosesNothing) {
  Harness harness(0, 2);
  const Units units = harness.ScheduleMany(2 * kRecordsPerBlock, 10);
  Units ran = harness.Advance(10);
  ASSERT_TRUE(harness.unfinished());
  const Units shortened = ShortenUntilSwept(harness, harness.ScheduleMany(200, kFar));
  Add(ran, harness.RunTo(10));
  EXPECT_EQ(ran, units);
  EXPECT_EQ(harness.RunTo(kFar), shortened);
}

// Each shortened deadline leaves a stale entry behind. When there are twice as many entries as records, a sweep drops
// them.
TEST(Sweep, BeginsAtALimitThatGrowthRaises) {
  Harness harness;
  harness.Grow(1);
  const Unit unit = harness.Schedule(1000000);
  harness.Take();
  std::uint32_t most = 0;
  for (Tick deadline = 999999; harness.entries() >= most; --deadline) {
    most = harness.entries();
    harness.submitter().Reschedule(unit, deadline);
    harness.wheel().TakeSubmissions();
  }
  EXPECT_EQ(most, 2 * 2 * kRecordsPerBlock);
}

}  // namespace
}  // namespace timeout_wheel
