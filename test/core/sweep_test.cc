#include "harness.h"

namespace timeout_wheel {
namespace {

void ExpectBounded(const Harness& harness) {
  ASSERT_LE(harness.entries(), 2 * harness.blocks() * kRecordsPerBlock);
  ASSERT_LE(harness.chunks(), harness.blocks() * kChunksPerBlock);
}

// Each shortened deadline leaves a stale entry behind.
TEST(Sweep, BoundsTheEntriesOfOneTimerThatIsShortenedWithoutEnd) {
  Harness harness;
  const Unit unit = harness.Schedule(1000000);
  harness.Take();
  for (Tick deadline = 999999; deadline > 900000; --deadline) {
    harness.submitter().Reschedule(unit, deadline);
    harness.wheel().TakeSubmissions();
    ExpectBounded(harness);
  }
  harness.Check();
  EXPECT_EQ(harness.RunTo(900000), Units{});
  EXPECT_EQ(harness.RunTo(900001), Units{unit});
}

TEST(Sweep, BoundsTheEntriesOfAFullWheelWhoseDeadlinesAreShortened) {
  Harness harness;
  Units units = harness.ScheduleMany(kRecordsPerBlock, 20000000);
  for (Tick deadline = 19000000; deadline > 1000000; deadline -= 1000000) {
    for (const Unit unit : units) harness.submitter().Reschedule(unit, deadline);
    harness.Take();
    ExpectBounded(harness);
  }
  EXPECT_EQ(harness.RunTo(1999999), Units{});
  EXPECT_EQ(harness.RunTo(2000000), units);
}

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

TEST(Sweep, KeepsEveryTimerOfEveryLevelAndTheOrder) {
  Harness harness;
  Units expected;
  for (const Tick deadline : {100U, 700U, 70000U}) {
    const Units more = harness.ScheduleMany(50, deadline);
    expected.insert(expected.end(), more.begin(), more.end());
  }
  const Units far = harness.ScheduleMany(50, 20000000);
  const Units shortened = ShortenUntilSwept(harness, harness.ScheduleMany(200, kFar));
  expected.insert(expected.end(), shortened.begin(), shortened.end());
  expected.insert(expected.end(), far.begin(), far.end());
  EXPECT_LE(harness.entries(), expected.size() + 1) << "one entry each, and one of the last operation";
  EXPECT_EQ(harness.RunTo(99), Units{});
  EXPECT_EQ(harness.RunTo(20000000), expected);
  EXPECT_EQ(harness.entries(), 0U);
}

TEST(Sweep, KeepsATimerThatWasPutOff) {
  Harness harness;
  const Unit put_off = harness.Schedule(700);
  harness.Take();
  harness.Reschedule(put_off, 900);
  const Units shortened = ShortenUntilSwept(harness, harness.ScheduleMany(200, kFar));
  EXPECT_EQ(harness.RunTo(899), Units{});
  EXPECT_EQ(harness.RunTo(900), Units{put_off});
  EXPECT_EQ(harness.RunTo(kFar), shortened);
}

TEST(Sweep, DropsCancelledTimers) {
  Harness harness;
  const Units cancelled = harness.ScheduleMany(2000, 20000000);
  const Units kept = harness.ScheduleMany(200, kFar);
  harness.Take();
  for (const Unit unit : cancelled) harness.submitter().Cancel(unit);
  ShortenUntilSwept(harness, kept);
  EXPECT_LE(harness.entries(), kept.size() + 1);
  for (const Unit unit : cancelled) ASSERT_EQ(harness.record(unit).filed, kNone);
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
    ExpectBounded(harness);
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
  ExpectBounded(harness);
  const Units rest = harness.RunTo(10);
  ran.insert(ran.end(), rest.begin(), rest.end());
  EXPECT_EQ(ran, units);
  EXPECT_EQ(harness.RunTo(kFar), shortened);
}

}  // namespace
}  // namespace timeout_wheel
