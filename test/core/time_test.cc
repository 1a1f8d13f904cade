// When the wheel wakes, and what runs then. The model test compares all due times.
#include <cmath>

#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Time, RunsALoneTimerAtItsExactTime) {
  Harness wheel({.start = 100.25});
  const Unit unit = wheel.Set(5);
  EXPECT_EQ(wheel.EndTurn(), 105.25);
  EXPECT_EQ(wheel.wheel().wake(), 105.25);
  wheel.PassTo(105.2);
  EXPECT_EQ(wheel.Run(), Units{});
  wheel.PassTo(105.25);
  EXPECT_EQ(wheel.Run(), Units{unit});
}

TEST(Time, RunsTheTimersOfATickTogetherWhenTheLastIsDue) {
  Harness wheel;
  Units units;
  for (const double delay : {7.75, 7.25, 7.5}) units.push_back(wheel.Set(delay));
  EXPECT_EQ(wheel.RunTo(20), units);
  EXPECT_EQ(wheel.wakes(), 1U);
}

TEST(Time, ReachesFarTimesOnEachLevel) {
  for (int power = 0; power <= 52; ++power) {
    Harness wheel({.start = 3.5});
    const double delay = std::ldexp(1, power);
    const Unit unit = wheel.Set(delay);
    EXPECT_EQ(wheel.RunTo(std::nextafter(wheel.due(unit), 0)), Units{}) << power;
    EXPECT_EQ(wheel.RunTo(wheel.due(unit)), Units{unit}) << power;
    EXPECT_LE(wheel.wakes(), 8U) << power;
  }
}

}  // namespace
}  // namespace timeout_wheel
