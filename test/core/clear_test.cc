#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Clear, ForgetsTimersOfAllLevelsAndTheSubmissions) {
  Harness harness;
  Units units;
  for (const Tick deadline : {5U, 700U, 200000U, 30000000U}) {
    harness.Take();
    const Units more = harness.ScheduleMany(100, deadline);
    units.insert(units.end(), more.begin(), more.end());
  }
  harness.Take();
  units.push_back(harness.Schedule(40));
  harness.wheel().Clear(300);
  for (const Unit unit : units) {
    harness.submitter().Cancel(unit);
    harness.record(unit).filed = kNone;
  }
  harness.Check();
  EXPECT_FALSE(harness.armed());
  EXPECT_EQ(harness.entries(), 0U);
  EXPECT_EQ(harness.chunks(), 0U);
  EXPECT_EQ(harness.control(kSubmitted), 0U);
  EXPECT_EQ(harness.control(kTick), 300U);
  EXPECT_EQ(harness.RunTo(40000000), Units{});
}

// More slots than one search for the next expiry prunes.
TEST(Clear, ForgetsManySlotsOfEachLevel) {
  for (const Tick span : {1U, 256U, 65536U, 16777216U}) {
    Harness harness;
    Units units;
    for (Tick i = 1; i <= 100; ++i) units.push_back(harness.submitter().Schedule(2 * span + i * span));
    harness.Take();
    harness.wheel().Clear(0);
    EXPECT_FALSE(harness.armed()) << "slots of " << span << " ticks";
    for (const Unit unit : units) {
      harness.submitter().Cancel(unit);
      harness.record(unit).filed = kNone;
    }
    harness.Check();
  }
}

TEST(Clear, LeavesAUsableWheel) {
  Harness harness;
  const Unit old = harness.Schedule(10);
  harness.Take();
  harness.wheel().Clear(1000);
  harness.submitter().Cancel(old);
  harness.record(old).filed = kNone;
  const Unit unit = harness.Schedule(1010);
  EXPECT_EQ(harness.RunTo(1009), Units{});
  EXPECT_EQ(harness.RunTo(1010), Units{unit});
}

TEST(Clear, InTheMiddleOfALargeTickForgetsItsRest) {
  Harness harness(0, 5);
  const Units units = harness.ScheduleMany(20000, 10);
  const Units ran = harness.Advance(10);
  ASSERT_TRUE(harness.unfinished());
  harness.wheel().Clear(11);
  for (std::size_t i = ran.size(); i < units.size(); ++i) {
    harness.submitter().Cancel(units[i]);
    harness.record(units[i]).filed = kNone;
  }
  EXPECT_FALSE(harness.unfinished());
  EXPECT_EQ(harness.RunTo(1000), Units{});
}

// More timers than one Advance may visit, so the tick is still being gathered.
TEST(Clear, WhileALargeTickIsGatheredLeavesNextTimersToTheirTick) {
  Harness harness(0, 5);
  const Units units = harness.ScheduleMany(20000, 10);
  EXPECT_EQ(harness.Advance(10), Units{});
  ASSERT_TRUE(harness.unfinished());
  harness.wheel().Clear(11);
  for (const Unit unit : units) {
    harness.submitter().Cancel(unit);
    harness.record(unit).filed = kNone;
  }
  const Unit next = harness.Schedule(11);
  EXPECT_EQ(harness.RunTo(10), Units{});
  EXPECT_EQ(harness.RunTo(11), Units{next});
}

// The addon does this when a wheel gives memory back. Pages of the memory may hold anything afterwards.
TEST(Clear, BeginsAnewWithOneBlockWhateverTheMemoryHolds) {
  Harness harness(0, 3);
  harness.ScheduleMany(3 * kRecordsPerBlock, 10);
  harness.RunTo(500);
  harness.CheckOneIn(UINT32_MAX);
  harness.wheel().Extend(1);
  harness.wheel().Clear(501);
  const Memory memory = harness.memory();
  for (std::uint32_t word = kHeadsWord; word < (kBaseBlocks + 3) * kBlockWords; ++word) {
    memory.word(word) = 0x5a5a5a5a + word;
  }

  Submitter submitter(harness.wheel(), 1);
  Units units(kRecordsPerBlock);
  for (Unit& unit : units) unit = submitter.Schedule(510);
  EXPECT_TRUE(submitter.full());
  EXPECT_EQ(BrokenInvariant(harness.wheel(), submitter.used()), "");
  harness.wheel().Extend(2);
  submitter.Extend(2);
  const Units more(1, submitter.Schedule(100000));
  EXPECT_EQ(harness.RunTo(509), Units{});
  EXPECT_EQ(BrokenInvariant(harness.wheel(), submitter.used()), "");
  Units ran;
  do {
    const std::uint32_t count = harness.wheel().Advance(510);
    for (std::uint32_t i = 0; i < count; ++i) {
      ran.push_back(memory.expiration(i));
      submitter.Cancel(ran.back());
    }
  } while (harness.unfinished());
  EXPECT_EQ(ran, units);
  EXPECT_EQ(BrokenInvariant(harness.wheel(), submitter.used()), "");
  EXPECT_EQ(harness.RunTo(100000), more);
}

}  // namespace
}  // namespace timeout_wheel
