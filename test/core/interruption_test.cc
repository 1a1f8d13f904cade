// The call after an interrupted one repairs the wheel. It can trust only the records.
//
// The tests simulate the result of an interruption: see Harness::Interrupt.
//
//   TIMEOUT_WHEEL_SEED=n   runs only the random program of that seed, to replay a failure
#include <cstdint>
#include <cstdio>
#include <string>

#include "harness.h"
#include "model/choices.h"
#include "model/program.h"
#include "model/settings.h"

namespace timeout_wheel {
namespace {

TEST(Interruption, KeepsNoEntryOfACancelledOrFreeRecord) {
  Harness harness;
  const Unit cancelled = harness.Schedule(10);
  const Unit kept = harness.Schedule(10);
  harness.Schedule(3);
  harness.RunTo(3);
  harness.Cancel(cancelled);
  harness.Interrupt();
  harness.Take();
  EXPECT_EQ(harness.entries(), 1U);
  EXPECT_EQ(harness.wake(), 10U);
  EXPECT_EQ(harness.RunTo(1000), Units{kept});
  // Without timers, nothing is armed.
  harness.Interrupt();
  harness.Take();
  EXPECT_FALSE(harness.armed());
  EXPECT_FALSE(harness.unfinished());
  EXPECT_EQ(harness.entries(), 0U);
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

TEST(Interruption, AtRandomAgreesWithASortedList) {
  constexpr std::uint32_t kPrograms = 20;
  constexpr std::uint32_t kOperations = 1000;
  const std::uint64_t replayed = Setting("TIMEOUT_WHEEL_SEED", 0);
  const std::uint64_t first = replayed != 0 ? replayed : NewSeed();
  for (std::uint64_t seed = first; seed < first + (replayed != 0 ? 1 : kPrograms) && !HasFailure(); ++seed) {
    SCOPED_TRACE("replay with TIMEOUT_WHEEL_SEED=" + std::to_string(seed) + " and --gtest_filter=Interruption.*");
    RandomChoices choices(seed);
    Program program(choices, {.sampling = {}, .interrupted = true});
    program.Run(kOperations);
    program.Finish();
  }
  std::printf("interruptions: seeds from %llu on\n", static_cast<unsigned long long>(first));
}

}  // namespace
}  // namespace timeout_wheel
