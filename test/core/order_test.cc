// The order of timers in ticks that are handed over in parts, and of timers that move. The model test has all others.
#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Order, HoldsForMoreTimersThanOneCallHandsOver) {
  Harness wheel({.blocks = 3});
  wheel.CheckOneIn(UINT32_MAX);
  Units units(5 * kExpirationsCapacity);
  for (Unit& unit : units) unit = wheel.client().Set(50);
  // Each second one again, backwards: the tick must be sorted.
  Units expected;
  for (std::size_t i = 0; i < units.size(); i += 2) expected.push_back(units[i]);
  for (std::size_t i = units.size() - 1; i < units.size(); i -= 2) {
    wheel.Move(units[i], 50);
    expected.push_back(units[i]);
  }
  EXPECT_EQ(wheel.RunTo(50), expected);
  wheel.Check();
}

TEST(Order, HandsOverNoMoreThanTheExpirationsHoldOfSeveralTicks) {
  Harness wheel;
  const Units first = wheel.SetMany(kExpirationsCapacity - 1, 5);
  const Units second = wheel.SetMany(kExpirationsCapacity, 6);
  wheel.Apply();
  wheel.PassTo(10);
  // The harness checks each call.
  EXPECT_EQ(wheel.Run().size(), first.size() + second.size());
}

TEST(Order, HandsOverOnceATimerThatWasMovedToAnEarlierTick) {
  Harness wheel;
  const Unit earlier = wheel.Set(10);
  const Unit stays = wheel.Set(10);
  wheel.Move(earlier, 5);
  // Both ticks in one call: the timer is marked, and has not run, when the wheel comes to its former entry.
  wheel.PassTo(12);
  wheel.Begin();
  EXPECT_EQ(wheel.control(kExpired), 2U);
  EXPECT_EQ(wheel.Dispatch(), (Units{earlier, stays}));
}

TEST(Order, RunsTimersThatAreMovedWithinTheirTickAfterTheOthersOfIt) {
  for (const bool sorted : {false, true}) {
    Harness wheel({.blocks = 2});
    const Units units = wheel.SetMany(3 * kExpirationsCapacity, 5);
    if (sorted) wheel.Move(units[0], 5);
    wheel.Apply();
    wheel.Pass(6);
    wheel.Begin();
    // Both are in the batch, and stay in the tick.
    const Unit first = units[units.size() - 1];
    const Unit second = units[units.size() - 2];
    wheel.client().MoveTo(first, 5.5);
    wheel.client().MoveTo(second, 5.25);
    Units ran = wheel.Dispatch();
    for (const Unit unit : wheel.Run()) ran.push_back(unit);
    ASSERT_EQ(ran.size(), units.size());
    EXPECT_EQ(ran[ran.size() - 2], first);
    EXPECT_EQ(ran[ran.size() - 1], second);
  }
}

// The second entry of a unit in the batch comes when its next timer has an entry in the slot, and has ended.
TEST(Order, HoldsForAUnitWhoseSecondEntryOutlivesItsNextTimer) {
  Harness wheel;
  wheel.CheckOneIn(100);
  const Unit other = wheel.Set(1000);
  wheel.SetMany(kExpirationsCapacity - 1, 30);
  const Unit unit = wheel.Set(30);
  wheel.Move(unit, 10);
  wheel.Move(unit, 30);
  wheel.Apply();
  wheel.Pass(10);
  EXPECT_EQ(wheel.Run().size(), 0U);
  wheel.Pass(20);
  EXPECT_EQ(wheel.Expire().back(), unit);
  EXPECT_TRUE(wheel.unfinished());
  EXPECT_EQ(wheel.Set(0.5), unit);
  wheel.Apply();
  wheel.Cancel(unit);
  EXPECT_EQ(wheel.Expire().size(), 0U);
  wheel.Cancel(other);
  EXPECT_EQ((Units{wheel.Set(0.5), wheel.Set(0.5)}), (Units{other, unit}));
  wheel.Check();
  wheel.Pass(0.5);
  EXPECT_EQ(wheel.Run(), (Units{other, unit}));
}

}  // namespace
}  // namespace timeout_wheel
