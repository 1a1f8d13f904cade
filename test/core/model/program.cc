#include "program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace timeout_wheel {

// Clocks that start near the end of a slot of each level, and where a double has few digits left for a fraction.
HarnessOptions Program::WheelOf(Choices& choices) {
  HarnessOptions options;
  constexpr double kTicks[] = {1, 1, 1, 0.01, 0.25, 10, 1000};
  options.ticks_per_ms = kTicks[choices.Below(7)];
  if (choices.OneIn(3)) return options;
  options.start = std::ldexp(1, static_cast<int>(choices.Below(49))) - choices.Below(16);
  options.start = std::max(0.0, options.start + choices.Below(8) / 8.0);
  return options;
}

Program::Program(Choices& choices, const ProgramOptions& options)
    : choices_(choices),
      options_(options),
      wheel_({WheelOf(choices), options.check_one_in}, *this),
      kinds_of_delay_(1 + choices.Below(6)),
      most_pending_(1U << choices.Below(13)) {}

double Program::Delay() {
  switch (Below(kinds_of_delay_)) {
    case 0: return 1 + Below(20) + Fraction();
    case 1: return 1 + Below(300);
    case 2: return 1 + Below(5000) + Fraction();
    case 3: return 256;
    case 4: return Fraction() + 0.001;
    default: return std::min(std::ldexp(1 + Fraction(), static_cast<int>(Below(52))), std::ldexp(1, 52));
  }
}

void Program::Act() {
  if (finishing_) return;
  const bool has_timers = wheel_.size() != 0;
  const std::uint32_t kind = Below(16);
  if (!has_timers || (kind < 7 && wheel_.size() < most_pending_)) {
    if (!wheel_.full()) wheel_.Set(Delay());
  } else if (kind < 11) {
    wheel_.Move(Any(), Delay());
  } else if (kind < 12) {
    // As an interval does: from a time that has passed already.
    const double from = std::max(std::numeric_limits<double>::min(), wheel_.now() - Below(4));
    wheel_.MoveTo(Any(), from + (OneIn(2) ? Fraction() : Delay()));
  } else {
    wheel_.Cancel(Any());
  }
}

void Program::Burst() {
  const std::uint32_t kind = Below(4);
  const double delay = Delay();
  const std::uint32_t count = Below(most_pending_);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (kind == 0 && wheel_.size() < most_pending_ && !wheel_.full()) wheel_.Set(delay);
    if (wheel_.size() == 0) return;
    if (kind == 1) wheel_.Move(Any(), delay);
    if (kind == 2) wheel_.Move(Any(), Delay());
    if (kind == 3) wheel_.Cancel(Any());
  }
}

void Program::PassTime() {
  const double earliest = wheel_.Earliest();
  switch (Below(5)) {
    case 0: return wheel_.Pass(Fraction());
    case 1: return wheel_.Pass(Below(10) + Fraction());
    case 2: return wheel_.Pass(Below(3000));
    case 3:
      if (earliest < std::ldexp(1, 50)) wheel_.Pass(std::max(0.0, earliest - wheel_.now()) + Fraction());
      return;
    default: return wheel_.Pass(Delay());
  }
}

void Program::Expired() {
  if (OneIn(3)) Act();
  if (OneIn(16)) wheel_.Pass(Fraction());
}

void Program::Paused() {
  for (std::uint32_t i = Below(4); i > 0; --i) Act();
  if (OneIn(4)) wheel_.Pass(Fraction());
  if (OneIn(4)) wheel_.EndTurn();
}

void Program::Run(std::uint64_t operations) {
  while (wheel_.operations() < operations && !choices_.ended() && !::testing::Test::HasFailure()) {
    if (OneIn(32)) Burst();
    for (std::uint32_t i = Below(20); i > 0; --i) Act();
    if (OneIn(16)) wheel_.Apply();
    if (OneIn(64)) wheel_.Grow(1);
    if (options_.interrupted && OneIn(16)) wheel_.Interrupt();
    if (OneIn(2)) wheel_.EndTurn();
    PassTime();
    if (!OneIn(4)) wheel_.Run(OneIn(4) ? Fraction() : 0);
  }
}

void Program::Finish() {
  finishing_ = true;
  wheel_.Run();
  while (wheel_.size() != 0 && !::testing::Test::HasFailure()) {
    const double wake = wheel_.EndTurn();
    ASSERT_NE(wake, TimerWheel::kNever) << wheel_.size() << " timers are pending";
    wheel_.Pass(std::max(0.0, wake - wheel_.now()));
    wheel_.Run();
  }
}

}  // namespace timeout_wheel
