#include <utility>

#include "harness.h"

namespace timeout_wheel {
namespace {

// Every distance near the edge of a level, from every start near an edge. The longest delay may move by three ticks,
// from a state to tick 0. Then it is still below 2^31.
constexpr Tick kDelays[] = {0,        1,        254,      255,      256,        257,        511,        512,
                            513,      65279,    65280,    65535,    65536,      65537,      131071,     131072,
                            16777215, 16777216, 16777217, 33554432, 0x3fffffff, 0x40000000, 0x7ffffffb, 0x7ffffffc};
constexpr Tick kStarts[] = {0,          1,          255,        256,        65535,      65536,      0x00ffffff,
                            0x01000000, 0x7fffffff, 0x80000000, 0x80000001, 0xffff00fe, 0xfffffff0, 0x00fffeff};

// More timers than a slot may hold to be pruned.
constexpr std::uint32_t kMany = 40;

/// Advances half the way to the deadline, twice, and schedules more timers: they are filed from another distance.
void ScheduleOnTheWay(Harness& harness, Tick deadline, Units& scheduled) {
  const auto count = static_cast<std::uint32_t>(scheduled.size());
  for (int i = 0; i < 2 && deadline - harness.tick() > 1; ++i) {
    EXPECT_EQ(harness.RunTo(harness.tick() + (deadline - harness.tick()) / 2 - 1), Units{});
    Add(scheduled, harness.ScheduleMany(count, deadline));
    harness.Take();
  }
}

/// Runs from one wake-up to the next until timers run.
Units RunByWakeUps(Harness& harness, Tick deadline) {
  Units ran;
  for (int wake_ups = 0; ran.empty() && wake_ups < 8 && harness.armed(); ++wake_ups) {
    EXPECT_FALSE(Before(deadline, harness.wake()));
    ran = harness.RunTo(harness.wake());
  }
  EXPECT_EQ(harness.tick(), deadline + 1);
  return ran;
}

TEST(Cascade, RunsTimersExactlyAtTheirTickInTheOrderOfScheduling) {
  for (const auto& [count, on_the_way] : {std::pair{1U, false}, {1U, true}, {kMany, false}, {kMany, true}}) {
    for (const Tick start : kStarts) {
      for (const Tick delay : kDelays) {
        SCOPED_TRACE(testing::Message() << count << " timers from " << start << " in " << delay << " ticks");
        const Tick deadline = ValidTick(start + delay);
        Harness harness(start);
        Units scheduled = harness.ScheduleMany(count, deadline);
        harness.Take();
        if (on_the_way) ScheduleOnTheWay(harness, deadline, scheduled);
        EXPECT_EQ(count == kMany ? RunByWakeUps(harness, deadline) : harness.RunAt(deadline), scheduled);
        EXPECT_EQ(harness.entries(), 0U);
        EXPECT_FALSE(harness.armed());
      }
    }
  }
}

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
TEST(CascadeAhead, MovesAPartAtATimeBeforeTheWindowBegins) {
  constexpr std::ptrdiff_t kMostMoved = 1024;
  Harness harness(0, 2);
  harness.CheckOneIn(16);
  const Units units = harness.ScheduleMany(8000, 600);
  harness.Take();
  for (Tick now = 0; now < 255; ++now) harness.RunTo(now);
  EXPECT_EQ(harness.record(units.front()).filed, 512U) << "two windows ahead: not yet";
  std::ptrdiff_t before = 0;
  for (Tick now = 255; now < 300; ++now) {
    harness.RunTo(now);
    const std::ptrdiff_t moved =
        std::count_if(units.begin(), units.end(), [&](Unit unit) { return harness.record(unit).filed == 600; });
    ASSERT_LE(moved - before, kMostMoved);
    before = moved;
  }
  EXPECT_EQ(before, 8000);
  EXPECT_EQ(harness.RunAt(600), units);
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

}  // namespace
}  // namespace timeout_wheel
