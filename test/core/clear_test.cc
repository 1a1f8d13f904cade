#include <iterator>

#include "harness.h"

namespace timeout_wheel {
namespace {

constexpr void (*kStates[])(Harness&) = {
    [](Harness& harness) {  // timers of all levels, and in the submissions
      for (const Tick deadline : {5U, 700U, 200000U, 30000000U, 40U}) {
        harness.Take();
        harness.ScheduleMany(100, deadline);
      }
    },
    [](Harness& harness) {  // more slots of each level than one search for the next expiry prunes
      for (const Tick span : {1U, 256U, 65536U, 16777216U}) {
        for (Tick i = 2; i <= 100; ++i) harness.submitter().Schedule(i * span);
      }
      harness.Take();
    },
    [](Harness& harness) {  // a tick that is being gathered: more timers than one Advance may visit
      harness.ScheduleMany(20000, 10);
      EXPECT_EQ(harness.Advance(10), Units{});
      EXPECT_TRUE(harness.unfinished());
    },
    [](Harness& harness) {  // a tick that is being handed over
      harness.ScheduleMany(2 * kExpirationsCapacity, 10);
      EXPECT_EQ(harness.Advance(10).size(), kExpirationsCapacity);
      EXPECT_TRUE(harness.unfinished());
    },
};

TEST(Clear, ForgetsAllTimersInEveryState) {
  for (std::size_t i = 0; i < std::size(kStates); ++i) {
    SCOPED_TRACE(testing::Message() << "state " << i);
    Harness harness(0, 4);
    kStates[i](harness);
    harness.Clear(11, 4);
    harness.Check();
    EXPECT_FALSE(harness.armed());
    EXPECT_FALSE(harness.unfinished());
    EXPECT_EQ(harness.entries(), 0U);
    EXPECT_EQ(harness.chunks(), 0U);
    EXPECT_EQ(harness.control(kSubmitted), 0U);
    EXPECT_EQ(harness.control(kTick), 11U);
    const Unit next = harness.Schedule(11);
    EXPECT_EQ(harness.RunTo(10), Units{});
    EXPECT_EQ(harness.RunTo(11), Units{next});
    EXPECT_EQ(harness.RunTo(40000000), Units{});
  }
}

// The addon does this when a wheel gives memory back. Pages of the memory may hold anything afterwards.
TEST(Clear, BeginsAnewWithOneBlockWhateverTheMemoryHolds) {
  Harness harness(0, 3);
  harness.ScheduleMany(3 * kRecordsPerBlock, 10);
  harness.RunTo(500);
  harness.Clear(501, 1);
  for (std::uint32_t word = kHeadsWord; word < (kBaseBlocks + 3) * kBlockWords; ++word) {
    harness.memory().word(word) = 0x5a5a5a5a + word;
  }
  const Units units = harness.ScheduleMany(kRecordsPerBlock, 510);
  EXPECT_TRUE(harness.submitter().full());
  harness.Extend(2);
  const Unit more = harness.Schedule(100000);
  EXPECT_EQ(harness.RunAt(510), units);
  EXPECT_EQ(harness.RunAt(100000), Units{more});
}

}  // namespace
}  // namespace timeout_wheel
