#include <tuple>
#include <utility>

#include "harness.h"

namespace timeout_wheel {
namespace {

// The longest delay may move by three ticks, from a state to tick 0. Then it is still below 2^31.
constexpr Tick kDelays[] = {0,        1,        254,      255,      256,        257,        511,        512,
                            513,      65279,    65280,    65535,    65536,      65537,      131071,     131072,
                            16777215, 16777216, 16777217, 33554432, 0x3fffffff, 0x40000000, 0x7ffffffb, 0x7ffffffc};
constexpr Tick kStarts[] = {0,          1,          255,        256,        65535,      65536,      0x00ffffff,
                            0x01000000, 0x7fffffff, 0x80000000, 0x80000001, 0xffff00fe, 0xfffffff0, 0x00fffeff};

// Every distance near the edge of a level, from every start near an edge.
class Cascade : public testing::TestWithParam<std::tuple<Tick, Tick>> {
 protected:
  Tick start() const { return std::get<0>(GetParam()); }
  Tick deadline() const { return ValidTick(start() + std::get<1>(GetParam())); }
};

TEST_P(Cascade, RunsATimerExactlyAtItsTick) {
  Harness harness(start());
  const Unit unit = harness.Schedule(deadline());
  harness.Take();
  if (deadline() != start()) {
    EXPECT_EQ(harness.RunTo(deadline() - 1), Units{});
  }
  EXPECT_EQ(harness.RunTo(deadline()), Units{unit});
  EXPECT_EQ(harness.entries(), 0U);
}

TEST_P(Cascade, KeepsTheOrderOfASlotTooLargeToBePruned) {
  constexpr std::uint32_t kTimers = 40;
  Harness harness(start());
  Units expected = harness.ScheduleMany(kTimers, deadline());
  harness.Take();
  // Advance half the way, twice, and schedule more timers: they are filed from another distance.
  for (int i = 0; i < 2; ++i) {
    const Tick half = (deadline() - harness.tick()) / 2;
    if (half == 0) break;
    EXPECT_EQ(harness.RunTo(harness.tick() + half - 1), Units{});
    const Units more = harness.ScheduleMany(kTimers, deadline());
    expected.insert(expected.end(), more.begin(), more.end());
    harness.Take();
  }
  if (deadline() != harness.tick()) {
    EXPECT_EQ(harness.RunTo(deadline() - 1), Units{});
  }
  EXPECT_EQ(harness.RunTo(deadline()), expected);
  EXPECT_EQ(harness.entries(), 0U);
}

TEST_P(Cascade, IsCarriedByWakeUpsAlone) {
  Harness harness(start());
  const Units units = harness.ScheduleMany(40, deadline());
  harness.Take();
  Units ran;
  for (int wake_ups = 0; ran.empty() && wake_ups < 8; ++wake_ups) {
    ASSERT_TRUE(harness.armed());
    ASSERT_FALSE(Before(deadline(), harness.wake()));
    ran = harness.RunTo(harness.wake());
  }
  EXPECT_EQ(ran, units);
  EXPECT_FALSE(harness.armed());
}

INSTANTIATE_TEST_SUITE_P(LevelEdges, Cascade, testing::Combine(testing::ValuesIn(kStarts), testing::ValuesIn(kDelays)));

// A timer filed from a shorter distance joins the timers of its span, so that few batches need sorting.
TEST(Cascade, LaterTimersJoinThoseOfTheirSpanALevelAbove) {
  for (const auto& [far, now] : {std::pair<Tick, Tick>{700, 500}, {132000, 131000}, {33700000, 33400000}}) {
    Harness harness;
    const Unit first = harness.Schedule(far);
    harness.Take();
    // Small slots are not moved ahead of time.
    EXPECT_EQ(harness.RunTo(now), Units{});
    const Unit second = harness.Schedule(far);
    harness.Take();
    EXPECT_EQ(harness.record(first).filed, harness.record(second).filed);
    EXPECT_EQ(harness.RunTo(far), (Units{first, second}));
  }
}

// The next slot is moved down a part at a time while the ticks before it pass.
TEST(CascadeAhead, LeavesLittleToMoveWhenTheWindowBegins) {
  constexpr std::uint32_t kTimers = 8000;
  Harness harness(0, 2);
  harness.CheckOneIn(16);
  const Units units = harness.ScheduleMany(kTimers, 600);
  harness.Take();
  for (Tick now = 0; now < 255; ++now) harness.RunTo(now);
  EXPECT_EQ(harness.record(units.front()).filed, 512U) << "two windows ahead: not yet";
  for (Tick now = 255; now < 300; ++now) harness.RunTo(now);
  for (const Unit unit : units) ASSERT_EQ(harness.record(unit).filed, 600U);
  EXPECT_EQ(harness.RunTo(599), Units{});
  EXPECT_EQ(harness.RunTo(600), units);
}

TEST(CascadeAhead, LeavesLittleToMoveWhenThePeriodBegins) {
  constexpr Tick kDeadline = 2 * 65536 + 600;
  Harness harness(0, 2);
  harness.CheckOneIn(16);
  const Units units = harness.ScheduleMany(8000, kDeadline);
  harness.Take();
  for (Tick now = 65535; now < 65600; ++now) EXPECT_EQ(harness.RunTo(now), Units{});
  for (const Unit unit : units) ASSERT_EQ(harness.record(unit).filed, 2 * 65536U + 512U);
  EXPECT_EQ(harness.RunTo(kDeadline), units);
}

TEST(CascadeAhead, MovesAPartAtATime) {
  constexpr std::ptrdiff_t kMostMoved = 1024;
  Harness harness(0, 2);
  const Units units = harness.ScheduleMany(8000, 600);
  harness.Take();
  std::ptrdiff_t before = 0;
  for (Tick now = 255; before < 8000; ++now) {
    ASSERT_LT(now, 300U);
    harness.RunTo(now);
    const std::ptrdiff_t moved =
        std::count_if(units.begin(), units.end(), [&](Unit unit) { return harness.record(unit).filed == 600; });
    ASSERT_LE(moved - before, kMostMoved);
    before = moved;
  }
  EXPECT_EQ(harness.RunTo(600), units);
}

TEST(CascadeAhead, KeepsTheOrderOfTimersAddedWhileASlotIsMovedInParts) {
  Harness harness(0, 3);
  Units expected = harness.ScheduleMany(8000, 600);
  harness.Take();
  for (Tick now = 0; now < 600; now += 100) {
    EXPECT_EQ(harness.RunTo(now), Units{});
    const Units more = harness.ScheduleMany(100, 600);
    expected.insert(expected.end(), more.begin(), more.end());
    harness.Take();
  }
  EXPECT_EQ(harness.RunTo(600), expected);
}

}  // namespace
}  // namespace timeout_wheel
