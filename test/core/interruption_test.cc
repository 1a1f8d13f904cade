// The call after an interrupted one repairs the wheel. It can trust only the records.
//
// The tests simulate the result of an interruption: kBusy is set, and the slots and queues hold anything.
//
//   TIMEOUT_WHEEL_SEED=n   runs only the random program of that seed, to replay a failure
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <random>
#include <string>

#include "harness.h"
#include "model/choices.h"
#include "model/settings.h"
#include "model/sorted_list.h"

namespace timeout_wheel {
namespace {

/// Leaves the wheel as an interrupted call may leave it: only the records and kUsed are intact.
void Interrupt(Harness& harness) {
  const Memory memory = harness.memory();
  std::mt19937 garbage(harness.control(kOrder));
  for (std::uint32_t word = kHeadsWord; word < kFirstBlockWord; ++word) memory.word(word) = garbage();
  for (std::uint32_t block = 0; block < harness.blocks(); ++block) {
    const std::uint32_t first = kFirstBlockWord + block * kBlockWords;
    for (std::uint32_t word = kStackWord; word < kBlockWords; ++word) memory.word(first + word) = garbage();
  }
  constexpr std::uint32_t kGarbageUnits = 7;
  for (std::uint32_t i = 0; i < kGarbageUnits; ++i) memory.submission(i) = garbage();
  memory.word(kSubmitted) = kGarbageUnits;
  for (const ControlWord word : {kExpired, kUnfinished, kArmed, kWake}) memory.word(word) = garbage();
  memory.word(kBusy) = 1;
}

TEST(Interruption, KeepsNoEntryOfACancelledOrFreeRecord) {
  Harness harness;
  const Unit cancelled = harness.Schedule(10);
  const Unit kept = harness.Schedule(10);
  harness.Schedule(3);
  harness.RunTo(3);
  harness.Cancel(cancelled);
  Interrupt(harness);
  harness.Take();
  EXPECT_EQ(harness.entries(), 1U);
  EXPECT_EQ(harness.wake(), 10U);
  EXPECT_EQ(harness.RunTo(1000), Units{kept});
  // Without timers, nothing is armed.
  Interrupt(harness);
  harness.Take();
  EXPECT_FALSE(harness.armed());
  EXPECT_FALSE(harness.unfinished());
  EXPECT_EQ(harness.entries(), 0U);
}

TEST(Interruption, KeepsTheOrderOfATickThatIsHandedOverInParts) {
  for (const std::uint32_t dispatched : {0U, kExpirationsCapacity}) {
    Harness harness(0, 2);
    const Units units = harness.ScheduleMany(2 * kExpirationsCapacity, 10);
    EXPECT_EQ(harness.Expire(10), kExpirationsCapacity);
    EXPECT_TRUE(harness.unfinished());
    if (dispatched != 0) harness.Dispatch(10, dispatched);
    Interrupt(harness);
    EXPECT_EQ(harness.RunTo(10), Units(units.begin() + dispatched, units.end()));
  }
}

// ---- the submissions ------------------------------------------------------------------------------------------------

TEST(Interruption, IsDetectedByACountOfSubmissionsAboveTheirCapacity) {
  for (const std::uint32_t count : {kSubmissionsCapacity + 1, kSubmissionsCapacity * 2, UINT32_MAX}) {
    Harness harness;
    for (const Tick deadline : {300U, 5U, 70000U, 5U}) harness.Schedule(deadline);
    harness.memory().word(kSubmitted) = count;
    harness.Take();
    EXPECT_EQ(harness.entries(), 4U);
    EXPECT_EQ(harness.RunTo(70000), (Units{kFirstUnit + 1, kFirstUnit + 3, kFirstUnit, kFirstUnit + 2}));
  }
}

TEST(Interruption, SkipsSubmissionsThatNameNoRecord) {
  Harness harness;
  const Unit a = harness.Schedule(5);
  const Unit b = harness.Schedule(5);
  const std::uint32_t between_blocks = kFirstUnit + kRecordsPerBlock;
  const Units submissions = {0,
                             a,
                             kFirstUnit - 1,
                             between_blocks,
                             kFirstUnit + kUnitsPerBlock - 1,
                             b,
                             kFirstUnit + kUnitsPerBlock,
                             0x80000000U,
                             UINT32_MAX};
  const Memory memory = harness.memory();
  for (std::uint32_t i = 0; i < submissions.size(); ++i) memory.submission(i) = submissions[i];
  memory.word(kSubmitted) = submissions.size();
  harness.Take();
  EXPECT_EQ(harness.entries(), 2U);
  EXPECT_EQ(harness.RunAt(5), (Units{a, b}));
}

// ---- random programs ------------------------------------------------------------------------------------------------

// Runs the wheel beside a sorted list.
class InterruptedProgram {
 public:
  explicit InterruptedProgram(std::uint64_t seed)
      : choices_(seed), tick_(OneOf({0, 255, 65535, 0x7fffff00, 0xffffff00})) {
    harness_.Clear(static_cast<Tick>(tick_), 1);
    harness_.CheckOneIn(UINT32_MAX);  // An interrupted wheel breaks the invariants.
  }

  void Run(std::uint32_t steps) {
    for (std::uint32_t i = 0; i < steps && !testing::Test::HasFailure(); ++i) Step();
    Advance(tick_ + kFarthest, false);
    EXPECT_EQ(harness_.submitter().pending(), 0U);
  }

 private:
  static constexpr std::uint32_t kFarthest = 40000000;

  std::uint32_t OneOf(std::initializer_list<std::uint32_t> numbers) {
    return numbers.begin()[choices_.Below(static_cast<std::uint32_t>(numbers.size()))];
  }
  WideTick Deadline() { return tick_ + choices_.Below(OneOf({4, 600, 70000, kFarthest})); }

  void Step() {
    Submitter& submitter = harness_.submitter();
    const std::uint32_t choice = choices_.Below(16);
    if (choice < 8) {
      const WideTick deadline = Deadline();
      if (!submitter.full()) list_.Put(submitter.Schedule(static_cast<Tick>(deadline)), ValidWideTick(deadline));
    } else if (choice < 12 && !list_.empty()) {
      const Unit unit = list_.unit(choices_.Below(static_cast<std::uint32_t>(list_.size())));
      if (choice < 10) {
        submitter.Cancel(unit);
        list_.Remove(unit);
      } else {
        const WideTick deadline = Deadline();
        submitter.Reschedule(unit, static_cast<Tick>(deadline));
        list_.Put(unit, ValidWideTick(deadline));
      }
    } else if (choice == 12) {
      harness_.Take();
      CheckRepaired();
    } else if (choice == 13) {
      Interrupt(harness_);
    } else {
      Advance(tick_ + choices_.Below(OneOf({3, 400, 30000})), choices_.OneIn(3));
    }
  }

  void Advance(WideTick target, bool interrupted) {
    Units ran;
    if (interrupted) {
      const std::uint32_t count = harness_.Expire(static_cast<Tick>(target));
      ran = harness_.Dispatch(static_cast<Tick>(target), choices_.Below(count + 1));
      Interrupt(harness_);
      target += choices_.Below(3);
    }
    Add(ran, harness_.RunTo(static_cast<Tick>(target)));
    CheckRepaired();
    tick_ = target + 1;
    Units due;
    for (; list_.DueBy(target); list_.Remove(due.back())) due.push_back(list_.first());
    EXPECT_EQ(ran, due) << "to " << target << (interrupted ? ", interrupted" : "");
  }

  void CheckRepaired() {
    EXPECT_EQ(harness_.control(kBusy), 0U);
    harness_.Check();
  }

  RandomChoices choices_;
  WideTick tick_;
  Harness harness_;
  SortedList list_;
};

TEST(Interruption, AtRandomAgreesWithASortedList) {
  constexpr std::uint32_t kPrograms = 20;
  constexpr std::uint32_t kSteps = 300;
  const std::uint64_t replayed = Setting("TIMEOUT_WHEEL_SEED", 0);
  const std::uint64_t first = replayed != 0 ? replayed : NewSeed();
  for (std::uint64_t seed = first; seed < first + (replayed != 0 ? 1 : kPrograms) && !HasFailure(); ++seed) {
    SCOPED_TRACE("replay with TIMEOUT_WHEEL_SEED=" + std::to_string(seed) + " and --gtest_filter=Interruption.*");
    InterruptedProgram(seed).Run(kSteps);
  }
  std::printf("interruptions: seeds from %llu on\n", static_cast<unsigned long long>(first));
}

}  // namespace
}  // namespace timeout_wheel
