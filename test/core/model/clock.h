// The clock of a program: exact, in eighths of a tick, and always at a time that a double can name.
#pragma once

#include <cmath>
#include <cstdint>

#include "sorted_list.h"

namespace timeout_wheel {

/// Eighths of a tick. Sums of them are exact as doubles below 2^50 ticks.
using Eighths = std::int64_t;
inline constexpr Eighths kTickEighths = 8;

/// The first tick that does not begin before this time.
constexpr WideTick TickFrom(Eighths time) { return (time + kTickEighths - 1) >> 3; }
/// The tick that contains this time.
constexpr WideTick TickOf(Eighths time) { return time >> 3; }

class Clock {
 public:
  explicit Clock(Eighths start) { MoveTo(start); }

  Eighths now() const { return now_; }
  /// The time in ticks, as the wheel receives it.
  double ticks() const { return static_cast<double>(now_) / kTickEighths; }
  /// Whether a fraction of a tick can be added without rounding.
  bool IsFine() const { return now_ < kTickEighths << 49; }

  void Pass(Eighths time) { MoveTo(now_ + time); }

 private:
  // Moves to `time`, or to the next time that a double can name. From 2^50 ticks on a double cannot name every eighth,
  // and from 2^53 on not every tick.
  void MoveTo(Eighths time) {
    auto real = static_cast<double>(time);
    if (static_cast<Eighths>(real) < time) real = std::nextafter(real, HUGE_VAL);
    now_ = static_cast<Eighths>(real);
  }

  Eighths now_ = 0;
};

}  // namespace timeout_wheel
