#include "harness.h"

namespace timeout_wheel {
namespace {

// Reads the clock once for many operations, as lib/node/scheduler/timers.ts does: delays count from the reading. The
// model test has delays with fractions.
class Epoch : public testing::Test {
 protected:
  void Open(double now) { harness_.wheel().OpenEpoch(now); }
  void Close(double now) { harness_.wheel().CloseEpoch(now); }

  Unit Schedule(Tick delay) {
    const Unit unit = harness_.submitter().Schedule(harness_.control(kNowCeil) + delay);
    Note(unit);
    return unit;
  }
  void Reschedule(Unit unit, Tick delay) {
    harness_.submitter().Reschedule(unit, harness_.control(kNowCeil) + delay);
    Note(unit);
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
  void Note(Unit unit) { NoteAt(harness_.record(unit).order - (harness_.control(kEpochEnd) - kEpochLength)) = unit; }
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

/// For how many ticks the process was stopped, and whether the notes are kept.
class StoppedEpoch : public Epoch, public testing::WithParamInterface<std::pair<double, bool>> {};

TEST_P(StoppedEpoch, KeepsItsNotesAfterWeeks) {
  if (kOptimizeForSize) GTEST_SKIP() << "in WebAssembly JavaScript keeps the notes";
  const auto [passed, keeps] = GetParam();
  Open(10.25);
  const Unit unit = Schedule(5);
  Close(10.25 + passed);
  Open(11.25 + passed);
  EXPECT_EQ(Deadline(unit), static_cast<Tick>(static_cast<std::uint64_t>(16 + passed)));
  EXPECT_EQ(NoteAt(0), keeps ? unit : 0);
}

INSTANTIATE_TEST_SUITE_P(Epoch, StoppedEpoch,
                         testing::Values(std::pair{7.0, false}, std::pair{0x1p29 + 1, true},
                                         std::pair{0x1p32 + 7, true}, std::pair{0x1p45, true}));

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

TEST_F(Epoch, DoesNotMoveADeadlineToATickThatStandsForAState) {
  harness_.GoTo(0xffffff00);
  Open(4294967040.0);
  const Unit unit = Schedule(250);
  ASSERT_EQ(Deadline(unit), 0xfffffffaU);
  Close(4294967044.0);
  EXPECT_EQ(Deadline(unit), 0U);
}

}  // namespace
}  // namespace timeout_wheel
