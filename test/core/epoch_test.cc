#include <cmath>
#include <utility>

#include "harness.h"

namespace timeout_wheel {
namespace {

// Reads the clock once for many operations, as lib/node/scheduler/timers.ts does: delays count from the reading. If
// a delay is no whole number of ticks, the test notes its fraction.
class Epoch : public testing::Test {
 protected:
  void Open(double now) { harness_.wheel().OpenEpoch(now); }
  void Close(double now) { harness_.wheel().CloseEpoch(now); }

  Unit Schedule(double delay) {
    const Unit unit = harness_.submitter().Schedule(DeadlineOf(delay));
    Note(unit, delay);
    return unit;
  }
  void Reschedule(Unit unit, double delay) {
    harness_.submitter().Reschedule(unit, DeadlineOf(delay));
    Note(unit, delay);
  }
  /// Reschedules a unit as lib/node/scheduler/id-timers.ts does.
  void Defer(Unit unit, std::uint32_t delay) {
    const Memory memory = harness_.memory();
    const std::uint32_t i = memory.word(kOrder)++ - (harness_.control(kEpochEnd) - kEpochLength);
    NoteAt(i) = unit + kDeferredNote;
    memory.word(kDelays + i) = delay;
    memory.word(kDeferred) = 1;
  }
  std::uint32_t& NoteAt(std::uint32_t i) const { return harness_.memory().word(kTouched + i); }
  Tick Deadline(Unit unit) const { return harness_.record(unit).deadline; }

  Harness harness_;

 private:
  static bool IsWhole(double delay) { return delay >= 1 && delay == std::floor(delay); }
  static double TicksOf(double delay) { return std::max(std::floor(delay), 1.0); }
  double Now() const { return harness_.memory().real(kNow); }
  double FirstTick(double fraction) const {
    const double whole = std::floor(Now());
    return whole + std::max(std::ceil(Now() - whole + fraction), 0.0);
  }
  Tick DeadlineOf(double delay) const {
    if (IsWhole(delay)) return harness_.control(kNowCeil) + static_cast<Tick>(delay);
    return static_cast<Tick>(FirstTick(delay - TicksOf(delay)) + TicksOf(delay));
  }

  void Note(Unit unit, double delay) {
    const Memory memory = harness_.memory();
    const std::uint32_t i = harness_.record(unit).order - (harness_.control(kEpochEnd) - kEpochLength);
    ASSERT_LT(i, kEpochLength) << "the clock was to be read again";
    NoteAt(i) = IsWhole(delay) ? unit : ~unit;
    if (IsWhole(delay)) return;
    const double fraction = delay - TicksOf(delay);
    const double slack = FirstTick(fraction) - (Now() + fraction);
    memory.set_real(kFraction + 2 * i, fraction);
    memory.set_real(kLeastSlack, std::min(memory.real(kLeastSlack), slack));
  }
};

TEST_F(Epoch, CommitsDeferredNotesWhenItIsClosed) {
  if (kOptimizeForSize) GTEST_SKIP() << "in WebAssembly JavaScript commits deferred notes";
  Open(10);
  const Unit put_off = Schedule(100);
  const Unit sooner = Schedule(100);
  const Unit cancelled = Schedule(100);
  const Unit touched_again = Schedule(100);
  harness_.wheel().TakeSubmissions();
  Defer(put_off, 200);
  Defer(sooner, 5);
  Defer(cancelled, 200);
  Defer(touched_again, 200);
  harness_.submitter().Cancel(cancelled);
  Reschedule(touched_again, 300);
  EXPECT_EQ(Deadline(put_off), 110U);
  Close(12.5);
  EXPECT_EQ(Deadline(put_off), 213U);
  EXPECT_EQ(Deadline(sooner), 18U);
  EXPECT_EQ(harness_.record(sooner).filed, kQueued);
  EXPECT_LT(harness_.record(put_off).order, harness_.record(sooner).order);
  EXPECT_EQ(Deadline(cancelled), kNever);
  EXPECT_EQ(Deadline(touched_again), 313U);
  EXPECT_EQ(harness_.control(kDeferred), 0U);
  harness_.wheel().TakeSubmissions();
  EXPECT_EQ(harness_.control(kWake), 18U);
}

TEST_F(Epoch, IsOpenFromAReadingOfTheClockUntilItIsClosed) {
  EXPECT_EQ(harness_.control(kEpochEnd), 0U);
  Open(12.5);
  EXPECT_EQ(harness_.control(kEpochEnd), harness_.control(kOrder) + kEpochLength);
  EXPECT_EQ(harness_.memory().real(kNow), 12.5);
  EXPECT_EQ(harness_.control(kNowCeil), 13U);
  Close(13);
  EXPECT_EQ(harness_.control(kEpochEnd), 0U);
  EXPECT_EQ(harness_.memory().real(kClosed), 13);
  Close(14);
  EXPECT_EQ(harness_.memory().real(kClosed), 13) << "no epoch was open";
}

// The value that a browser's clock of whole milliseconds may show after a subtraction.
constexpr double kAboveA144th = 144.00000000000003;

TEST_F(Epoch, MovesADeadlineAsFarAsThatOfALaterOperation) {
  for (const double delay : {300.0, 299.75, 0.5, 1.0}) {
    for (const double opened : {143.0, 143.1, 143.25, 143.99999999999997}) {
      for (const double closed : {144.0, kAboveA144th, 143.99999999999997, 144.1}) {
        harness_.wheel().Clear(0);
        Open(opened);
        const Unit unit = Schedule(delay);
        Open(std::max(opened, closed));
        const Unit later = Schedule(delay);
        EXPECT_EQ(Deadline(unit), Deadline(later)) << delay << " from " << opened << " to " << closed;
      }
    }
  }
}

TEST_F(Epoch, SkipsNotesThatNameNoRecord) {
  Open(10.25);
  const Unit a = Schedule(5);
  std::uint32_t i = 1;
  for (const Unit unit : {kFirstUnit - 1, kFirstUnit + kRecordsPerBlock, kFirstUnit + kUnitsPerBlock, 0x7fffffffU}) {
    NoteAt(i++) = unit;
    NoteAt(i++) = ~unit;
  }
  NoteAt(i++) = UINT32_MAX;
  NoteAt(i++) = 0;
  harness_.memory().word(kOrder) += i - 1;
  const Unit b = Schedule(7);
  Close(13.5);
  EXPECT_EQ(Deadline(a), 19U);
  EXPECT_EQ(Deadline(b), 21U);
  EXPECT_EQ(harness_.memory().real(kNow), 10.25) << "no note is no note of unit 0";
}

TEST_F(Epoch, MovesEachDeadlineOnceIfItsCloseIsInterrupted) {
  Open(10.25);
  Units units;
  for (std::uint32_t i = 0; i < kEpochLength; ++i) units.push_back(Schedule(i + 1));
  constexpr std::uint32_t kHalf = kEpochLength / 2;
  const std::uint32_t end = harness_.control(kEpochEnd);
  for (std::uint32_t i = kHalf; i < kEpochLength; ++i) NoteAt(i) = 0;
  Close(13.5);
  for (std::uint32_t i = kHalf; i < kEpochLength; ++i) NoteAt(i) = units[i];
  harness_.memory().word(kEpochEnd) = end;
  Close(20.5);
  for (std::uint32_t i = 0; i < kEpochLength; ++i) {
    EXPECT_EQ(Deadline(units[i]), (i < kHalf ? 14U : 21U) + i + 1) << "note " << i;
  }
}

TEST_F(Epoch, DoesNotMoveADeadlineToATickThatStandsForAState) {
  harness_.wheel().Clear(0xffffff00);
  Open(4294967040.0);
  const Unit unit = Schedule(250);
  ASSERT_EQ(Deadline(unit), 0xfffffffaU);
  Close(4294967044.0);
  EXPECT_EQ(Deadline(unit), 0U);
}

}  // namespace
}  // namespace timeout_wheel
