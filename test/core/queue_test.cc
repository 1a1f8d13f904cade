// The queue of operations, and what happens to operations whose unit has ended.
#include <array>
#include <cmath>
#include <limits>

#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Queue, AppliesTheFirstOperationsOfATurnAtOnceAndThenGrows) {
  Harness wheel;
  wheel.EndTurn();
  std::array<int, 300> applied{};
  int operations = 0;
  wheel.OnApply([&] { ++applied[static_cast<std::size_t>(operations)]; });
  for (operations = 1; operations < 200; ++operations) wheel.Set(1000);
  // 8 single ones, then rows of 4, 8, 16, 32, 64, 64.
  for (const std::size_t at : {1, 2, 3, 4, 5, 6, 7, 8, 12, 20, 36, 68, 132, 196}) EXPECT_EQ(applied[at], 1) << at;
  EXPECT_EQ(applied[9] + applied[11] + applied[197], 0);
}

TEST(Queue, AppliesAtOnceAgainAfterSlowOperations) {
  Harness wheel;
  wheel.EndTurn();
  for (int i = 0; i < 10; ++i) wheel.Set(1000);
  for (int i = 0; i < 4; ++i) {
    wheel.Pass(1);
    wheel.Set(1000);
  }
  EXPECT_EQ(wheel.control(kQueueLimit), 1U);
}

TEST(Queue, DropsTheOperationOfAnEndedTimer) {
  Harness wheel;
  wheel.SetMany(8, 1000);
  const Unit unit = wheel.Set(5);
  wheel.Cancel(unit);
  wheel.Apply();
  EXPECT_EQ(wheel.entries(), 8U);
  EXPECT_EQ(wheel.RunTo(10), Units{});
}

TEST(Queue, TellsADelayFromADueTimeOfTheSameNumber) {
  Harness wheel({.start = 10});
  const Units units = wheel.SetMany(11, 1000);
  wheel.EndTurn();
  // The first eight operations of a turn are applied at once.
  wheel.SetMany(8, 2000);
  wheel.Move(units[0], 25);
  wheel.client().MoveTo(units[1], 25);
  wheel.Move(units[2], 25);
  EXPECT_EQ(wheel.control(kQueued), 3U);
  wheel.Apply();
  EXPECT_EQ(wheel.due(units[0]), 35);
  EXPECT_EQ(wheel.due(units[1]), 25);
  EXPECT_EQ(wheel.due(units[2]), 35);
}

TEST(Queue, TakesAnyTime) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // The first eight operations of a turn are applied one by one, the next ones in rows. Below 0, a time is a due time.
  for (const std::uint32_t before : {0U, 8U}) {
    Harness wheel({.start = 10});
    wheel.SetMany(before, 1e7);
    const Units past = {wheel.Set(-1e-300), wheel.Set(std::nan("")), wheel.Set(-5), wheel.Set(-0.0)};
    const Units never = {wheel.Set(kInfinity), wheel.Set(1e300), wheel.Set(std::ldexp(1, 60)), wheel.Set(-kInfinity)};
    const Unit near = wheel.Set(5);
    wheel.EndTurn();
    wheel.control(kBusy) = 1;
    EXPECT_EQ(wheel.RunTo(10), past);
    EXPECT_EQ(wheel.RunTo(1e6), Units{near});
    for (const Unit unit : never) wheel.Move(unit, 5);
    EXPECT_EQ(wheel.RunTo(1e6 + 5), never);
  }
}

TEST(Queue, TrustsNoCountAndNoUnit) {
  Harness wheel;
  const Unit unit = wheel.Set(5);
  for (const std::uint32_t count : {1U, 0xffffffffU}) {
    for (std::uint32_t i = 0; i < kQueueCapacity; ++i) {
      wheel.memory().word(kQueueUnitsWord + i) = i % 2 == 0 ? 0x7fffffff : kRecordsPerBlock;
    }
    wheel.control(kQueued) = count;
    wheel.control(kUsed) = 0xffffffff;
    wheel.Apply();
  }
  EXPECT_EQ(wheel.RunTo(5), Units{unit});
  wheel.control(kBusy) = 1;
  wheel.wheel().Apply(wheel.now());
}

}  // namespace
}  // namespace timeout_wheel
