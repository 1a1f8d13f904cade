#include "harness.h"

namespace timeout_wheel {
namespace {

constexpr Tick kFarthest = 0x7ffffffc;

// A wheel that visits empty ticks one by one would run for hours here.
TEST(EmptyTime, IsSkippedAtAnyLength) {
  Harness harness;
  for (int i = 0; i < 10000; ++i) {
    const Tick target = harness.tick() + kFarthest - 1;
    ASSERT_EQ(harness.wheel().Advance(target), 0U);
    ASSERT_FALSE(harness.unfinished());
    ASSERT_EQ(harness.tick(), target + 1);
  }
}

TEST(EmptyTime, IsSkippedUpToATimerThatIsFarAhead) {
  Harness harness;
  for (int i = 0; i < 1000; ++i) {
    const Unit unit = harness.submitter().Schedule(harness.tick() + kFarthest);
    const Tick target = harness.record(unit).deadline;
    ASSERT_EQ(harness.RunTo(target - 1), Units{});
    ASSERT_EQ(harness.RunTo(target), Units{unit});
  }
}

TEST(EmptyTime, IsSkippedBetweenTimers) {
  Harness harness;
  Units expected;
  for (Tick deadline = 5; deadline < 0x70000000; deadline += 0x01234567) {
    expected.push_back(harness.Schedule(deadline));
  }
  EXPECT_EQ(harness.RunTo(kFarthest), expected);
}

}  // namespace
}  // namespace timeout_wheel
