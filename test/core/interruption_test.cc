// The call after an interrupted one repairs the wheel. It can trust only the records.
//
// The tests simulate the result of an interruption: kBusy is set, and the slots and queues hold anything.
//
//   TIMEOUT_WHEEL_SEED=n   runs only the random program of that seed, to replay a failure
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "harness.h"
#include "model/choices.h"
#include "model/settings.h"

namespace timeout_wheel {
namespace {

class Interruption : public testing::Test {
 protected:
  static constexpr std::uint32_t kGarbageUnits = 7;

  /// Leaves the wheel as an interrupted call may leave it: only the records and kUsed are intact.
  static void Interrupt(Harness& harness) {
    const Memory memory = harness.memory();
    std::mt19937 garbage(harness.control(kOrder));
    for (std::uint32_t word = kHeadsWord; word < kFirstBlockWord; ++word) memory.word(word) = garbage();
    for (std::uint32_t block = 0; block < harness.blocks(); ++block) {
      const std::uint32_t first = kFirstBlockWord + block * kBlockWords;
      for (std::uint32_t word = kStackWord; word < kBlockWords; ++word) memory.word(first + word) = garbage();
    }
    for (std::uint32_t i = 0; i < kGarbageUnits; ++i) memory.submission(i) = garbage();
    memory.word(kSubmitted) = kGarbageUnits;
    memory.word(kExpired) = garbage();
    memory.word(kUnfinished) = garbage();
    memory.word(kArmed) = garbage();
    memory.word(kWake) = garbage();
    memory.word(kBusy) = 1;
  }
  void Interrupt() { Interrupt(harness_); }

  /// Runs to the tick before each deadline, then to the deadline: every live timer must run once, in order, none early.
  static void ExpectToRunInTime(Harness& harness) {
    using Timer = std::tuple<Tick, std::uint32_t, Unit>;
    std::vector<Timer> timers;
    for (std::uint32_t n = 0; n < harness.submitter().used(); ++n) {
      const Record& record = harness.record(UnitOfRecord(n));
      if (record.deadline != kNever) timers.emplace_back(record.deadline, record.order, UnitOfRecord(n));
    }
    std::sort(timers.begin(), timers.end());
    for (auto next = timers.begin(); next != timers.end();) {
      const Tick deadline = std::get<0>(*next);
      Units due;
      for (; next != timers.end() && std::get<0>(*next) == deadline; ++next) due.push_back(std::get<2>(*next));
      EXPECT_EQ(harness.RunTo(deadline - 1), Units{}) << "early, before " << deadline;
      EXPECT_EQ(harness.RunTo(deadline), due) << "due at " << deadline;
    }
    EXPECT_EQ(harness.submitter().pending(), 0U);
    EXPECT_EQ(harness.control(kBusy), 0U);
  }
  void ExpectToRunInTime() { ExpectToRunInTime(harness_); }

  /// Schedules timers of all levels in mixed order, some for the same tick.
  void ScheduleAtAllDistances() {
    for (const Tick deadline : {300U, 5U, 20000000U, 70000U, 1U, 300U, 512U, 70000U, 256U, 5U, 40000000U, 65536U}) {
      harness_.Schedule(deadline);
    }
  }

  Harness harness_;
};

// ---- the repair -----------------------------------------------------------------------------------------------------

TEST_F(Interruption, IsRepairedByTheNextTakeSubmissions) {
  ScheduleAtAllDistances();
  harness_.Take();
  Interrupt();
  harness_.Take();
  EXPECT_EQ(harness_.control(kBusy), 0U);
  EXPECT_EQ(harness_.wake(), 1U);
  ExpectToRunInTime();
}

TEST_F(Interruption, IsRepairedByTheNextAdvance) {
  ScheduleAtAllDistances();
  harness_.Take();
  Interrupt();
  EXPECT_EQ(harness_.Expire(0), 0U);
  EXPECT_EQ(harness_.control(kBusy), 0U);
  ExpectToRunInTime();
}

TEST_F(Interruption, IsRepairedWhateverTheTickIs) {
  for (const Tick start : {255U, 65535U, 0x7fffff00U, 0xffffff00U}) {
    Harness harness(start);
    for (const Tick delay : {600U, 3U, 70000U, 3U, 256U}) harness.Schedule(start + delay);
    harness.Take();
    Interrupt(harness);
    Units ran = harness.RunTo(start + 70000);
    EXPECT_EQ(ran, (Units{kFirstUnit + 1, kFirstUnit + 3, kFirstUnit + 4, kFirstUnit, kFirstUnit + 2}))
        << "started at " << start;
  }
}

TEST_F(Interruption, LosesNoSubmission) {
  ScheduleAtAllDistances();
  Interrupt();
  ExpectToRunInTime();
}

TEST_F(Interruption, OfARepairIsRepairedToo) {
  ScheduleAtAllDistances();
  Interrupt();
  harness_.Take();
  Interrupt();
  ExpectToRunInTime();
}

TEST_F(Interruption, KeepsNoEntryOfACancelledOrFreeRecord) {
  const Unit cancelled = harness_.Schedule(10);
  const Unit kept = harness_.Schedule(10);
  harness_.Schedule(3);
  harness_.RunTo(3);
  harness_.Cancel(cancelled);
  Interrupt();
  harness_.Take();
  EXPECT_EQ(harness_.entries(), 1U);
  EXPECT_EQ(harness_.RunTo(1000), Units{kept});
}

TEST_F(Interruption, OfAWheelWithoutTimersLeavesNothingArmed) {
  Interrupt();
  harness_.Take();
  EXPECT_FALSE(harness_.armed());
  EXPECT_FALSE(harness_.unfinished());
  EXPECT_EQ(harness_.entries(), 0U);
}

TEST_F(Interruption, KeepsOnlyTheLastDeadlineOfARescheduledTimer) {
  const Unit later = harness_.Schedule(10);
  const Unit sooner = harness_.Schedule(1000);
  harness_.Take();
  harness_.Reschedule(later, 500);
  harness_.Reschedule(sooner, 20);
  Interrupt();
  ExpectToRunInTime();
}

TEST_F(Interruption, KeepsTimersScheduledBeforeTheRepair) {
  harness_.Schedule(10);
  harness_.Take();
  Interrupt();
  harness_.submitter().Schedule(5);
  harness_.submitter().Schedule(10);
  ExpectToRunInTime();
}

TEST_F(Interruption, KeepsTimersThatFillSeveralBlocks) {
  Harness harness(0, 3);
  harness.CheckOneIn(8);
  for (std::uint32_t n = 0; n < 3 * kRecordsPerBlock; ++n) harness.submitter().Schedule(10 + n * 7 % 5 * 300);
  Interrupt(harness);
  ExpectToRunInTime(harness);
}

// ---- the expirations ------------------------------------------------------------------------------------------------

TEST_F(Interruption, LetsTheNextAdvanceExpireUndispatchedTimersAgain) {
  const Unit a = harness_.Schedule(5);
  const Unit b = harness_.Schedule(5);
  EXPECT_EQ(harness_.Expire(5), 2U);
  Interrupt();
  EXPECT_EQ(harness_.RunTo(6), (Units{a, b}));
}

TEST_F(Interruption, LetsAnAdvanceToTheSameTargetExpireUndispatchedTimersAgain) {
  const Unit a = harness_.Schedule(5);
  const Unit b = harness_.Schedule(5);
  EXPECT_EQ(harness_.Expire(5), 2U);
  Interrupt();
  EXPECT_EQ(harness_.RunTo(5), (Units{a, b}));
}

TEST_F(Interruption, KeepsUndispatchedTimersInTheOrderOfDeadlines) {
  const Unit at_7 = harness_.Schedule(7);
  const Unit at_5 = harness_.Schedule(5);
  const Unit at_9 = harness_.Schedule(9);
  const Unit at_8 = harness_.Schedule(8);
  EXPECT_EQ(harness_.Expire(7), 2U);
  Interrupt();
  EXPECT_EQ(harness_.RunTo(9), (Units{at_5, at_7, at_8, at_9}));
}

TEST_F(Interruption, RunsDispatchedTimersOnce) {
  const Unit a = harness_.Schedule(5);
  const Unit b = harness_.Schedule(5);
  EXPECT_EQ(harness_.Expire(5), 2U);
  harness_.submitter().Cancel(a);
  Interrupt();
  EXPECT_EQ(harness_.RunTo(6), Units{b});
}

TEST_F(Interruption, KeepsMoreTimersOfOneTickThanTheExpirationsHold) {
  Harness harness(0, 2);
  harness.CheckOneIn(8);
  const Units units = harness.ScheduleMany(2 * kExpirationsCapacity, 10);
  const Units first = harness.Advance(10);
  EXPECT_TRUE(harness.unfinished());
  EXPECT_EQ(first.size(), kExpirationsCapacity);
  Interrupt(harness);
  EXPECT_EQ(harness.RunTo(10), Units(units.begin() + kExpirationsCapacity, units.end()));
}

TEST_F(Interruption, KeepsTheOrderOfABatchThatIsHandedOverInParts) {
  Harness harness(0, 2);
  harness.CheckOneIn(8);
  const Units units = harness.ScheduleMany(2 * kExpirationsCapacity, 10);
  harness.Expire(10);
  EXPECT_TRUE(harness.unfinished());
  Interrupt(harness);
  EXPECT_EQ(harness.RunTo(10), units);
}

// ---- the submissions ------------------------------------------------------------------------------------------------

TEST_F(Interruption, IsDetectedByACountOfSubmissionsAboveTheirCapacity) {
  for (const std::uint32_t count : {kSubmissionsCapacity + 1, kSubmissionsCapacity * 2, UINT32_MAX}) {
    Harness harness;
    for (const Tick deadline : {300U, 5U, 70000U, 5U}) harness.Schedule(deadline);
    harness.memory().word(kSubmitted) = count;
    harness.Take();
    EXPECT_EQ(harness.entries(), 4U);
    ExpectToRunInTime(harness);
  }
}

TEST_F(Interruption, SkipsSubmissionsThatNameNoRecord) {
  const Unit a = harness_.Schedule(5);
  const Unit b = harness_.Schedule(5);
  const std::array<std::uint32_t, 9> submissions = {0,
                                                    a,
                                                    kFirstUnit - 1,
                                                    kFirstUnit + kRecordsPerBlock,
                                                    kFirstUnit + kUnitsPerBlock - 1,
                                                    b,
                                                    kFirstUnit + kUnitsPerBlock,
                                                    0x80000000U,
                                                    UINT32_MAX};
  const Memory memory = harness_.memory();
  for (std::uint32_t i = 0; i < submissions.size(); ++i) memory.submission(i) = submissions[i];
  memory.word(kSubmitted) = submissions.size();
  harness_.Take();
  EXPECT_EQ(harness_.entries(), 2U);
  ExpectToRunInTime();
}

// ---- the clock ------------------------------------------------------------------------------------------------------

class InterruptionOfAnEpoch : public Interruption {
 protected:
  static constexpr double kOpened = 10.25;

  InterruptionOfAnEpoch() { harness_.wheel().OpenEpoch(kOpened); }

  std::uint32_t& NoteAt(std::uint32_t i) const { return harness_.memory().word(kTouched + i); }

  /// Schedules a timer of whole ticks, and notes it.
  Unit Touch(Tick delay) {
    const std::uint32_t i = harness_.control(kOrder) - (harness_.control(kEpochEnd) - kEpochLength);
    const Unit unit = harness_.Schedule(harness_.control(kNowCeil) + delay);
    NoteAt(i) = unit;
    return unit;
  }
  static Tick DueAt(double now, Tick delay) { return static_cast<Tick>(std::ceil(now)) + delay; }
};

TEST_F(InterruptionOfAnEpoch, SkipsNotesThatNameNoRecord) {
  const Unit a = Touch(5);
  std::uint32_t i = 1;
  for (const Unit unit : {kFirstUnit - 1, kFirstUnit + kRecordsPerBlock, kFirstUnit + kUnitsPerBlock, 0x7fffffffU}) {
    NoteAt(i++) = unit;
    NoteAt(i++) = ~unit;
  }
  NoteAt(i++) = UINT32_MAX;
  harness_.memory().word(kOrder) += i - 1;
  const Unit b = Touch(7);
  harness_.wheel().CloseEpoch(13.5);
  EXPECT_EQ(harness_.record(a).deadline, DueAt(13.5, 5));
  EXPECT_EQ(harness_.record(b).deadline, DueAt(13.5, 7));
}

TEST_F(InterruptionOfAnEpoch, MovesEachDeadlineOnce) {
  Units units;
  for (Tick delay = 1; delay <= kEpochLength; ++delay) units.push_back(Touch(delay));
  constexpr std::uint32_t kHalf = kEpochLength / 2;
  const std::uint32_t end = harness_.control(kEpochEnd);
  for (std::uint32_t i = kHalf; i < kEpochLength; ++i) NoteAt(i) = 0;
  harness_.wheel().CloseEpoch(13.5);
  for (std::uint32_t i = kHalf; i < kEpochLength; ++i) NoteAt(i) = units[i];
  harness_.memory().word(kEpochEnd) = end;
  harness_.wheel().CloseEpoch(20.5);
  for (std::uint32_t i = 0; i < kEpochLength; ++i) {
    EXPECT_EQ(harness_.record(units[i]).deadline, DueAt(i < kHalf ? 13.5 : 20.5, i + 1)) << "note " << i;
  }
  harness_.Check();
}

// ---- random programs ------------------------------------------------------------------------------------------------

// Runs the wheel beside a list of each timer's deadline and order number.
class InterruptedProgram {
 public:
  InterruptedProgram(std::uint64_t seed, void (*interrupt)(Harness&)) : choices_(seed), interrupt_(interrupt) {}

  void Run(std::uint32_t steps) {
    for (std::uint32_t i = 0; i < steps && !testing::Test::HasFailure(); ++i) Step();
    Advance(harness_.tick() + kFurthest, false);
    EXPECT_EQ(harness_.submitter().pending(), 0U);
  }

 private:
  struct Timer {
    Tick deadline;
    std::uint32_t order;
    Unit unit;
  };
  static constexpr Tick kFurthest = 200000;

  Tick Deadline() {
    constexpr std::array<std::uint32_t, 4> kBounds = {4, 600, 70000, kFurthest};
    return harness_.tick() + choices_.Below(kBounds[choices_.Below(kBounds.size())]);
  }

  void Step() {
    Submitter& submitter = harness_.submitter();
    const std::uint32_t choice = choices_.Below(16);
    if (choice < 8) {
      if (timers_.size() == kRecordsPerBlock) return;
      const std::uint32_t order = harness_.control(kOrder);
      const Tick deadline = Deadline();
      timers_.push_back({deadline, order, submitter.Schedule(deadline)});
    } else if (choice < 12 && !timers_.empty()) {
      const std::uint32_t i = choices_.Below(static_cast<std::uint32_t>(timers_.size()));
      if (choice < 10) {
        submitter.Cancel(timers_[i].unit);
        timers_.erase(timers_.begin() + i);
      } else {
        timers_[i].deadline = Deadline();
        timers_[i].order = harness_.control(kOrder);
        submitter.Reschedule(timers_[i].unit, timers_[i].deadline);
      }
    } else if (choice == 12) {
      harness_.Take();
    } else if (choice == 13) {
      interrupt_(harness_);
    } else {
      constexpr std::array<std::uint32_t, 3> kBounds = {3, 400, 30000};
      Advance(harness_.tick() + choices_.Below(kBounds[choices_.Below(kBounds.size())]), choices_.OneIn(3));
    }
  }

  void Advance(Tick target, bool interrupted) {
    if (interrupted) {
      harness_.Expire(target);
      interrupt_(harness_);
    }
    std::sort(timers_.begin(), timers_.end(), [](const Timer& a, const Timer& b) {
      return std::tie(a.deadline, a.order) < std::tie(b.deadline, b.order);
    });
    const auto end = std::find_if(timers_.begin(), timers_.end(), [&](const Timer& t) { return t.deadline > target; });
    Units due;
    for (auto timer = timers_.begin(); timer != end; ++timer) due.push_back(timer->unit);
    timers_.erase(timers_.begin(), end);
    EXPECT_EQ(harness_.RunTo(target), due) << "to " << target << (interrupted ? ", interrupted" : "");
  }

  RandomChoices choices_;
  void (*interrupt_)(Harness&);
  Harness harness_;
  std::vector<Timer> timers_;
};

TEST_F(Interruption, AtRandomAgreesWithASortedList) {
  constexpr std::uint32_t kPrograms = 20;
  constexpr std::uint32_t kSteps = 300;
  const std::uint64_t replayed = Setting("TIMEOUT_WHEEL_SEED", 0);
  const std::uint64_t first = replayed != 0 ? replayed : NewSeed();
  for (std::uint64_t seed = first; seed < first + (replayed != 0 ? 1 : kPrograms) && !HasFailure(); ++seed) {
    SCOPED_TRACE("replay with TIMEOUT_WHEEL_SEED=" + std::to_string(seed) + " and --gtest_filter=Interruption.*");
    InterruptedProgram(seed, &Interrupt).Run(kSteps);
  }
  std::printf("interruptions: seeds from %llu on\n", static_cast<unsigned long long>(first));
}

}  // namespace
}  // namespace timeout_wheel
