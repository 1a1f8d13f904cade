// The monotonic clock, in ticks of one wheel.
#pragma once

#include <cstdint>

#include "../core/record.h"
#include "libuv.h"

namespace timeout_wheel {

inline constexpr std::uint64_t kNsPerMs = 1'000'000;

class TickClock {
 public:
  /// Starts now, at a whole millisecond of the loop's clock, so ticks begin together with libuv's milliseconds.
  explicit TickClock(std::uint32_t tick_ms) : tick_ms_(tick_ms), origin_ms_(uv_hrtime() / kNsPerMs) {}

  /// The ticks that have passed at `hrtime`, with their fraction.
  double TicksAt(std::uint64_t hrtime) const {
    return static_cast<double>(hrtime - origin_ms_ * kNsPerMs) / (static_cast<double>(tick_ms_) * kNsPerMs);
  }

  std::uint64_t tick_ns() const { return tick_ms_ * kNsPerMs; }

  /// The loop time at which `tick` begins. Of all ticks with this number, it is the one within 2^31 ticks of
  /// `loop_now`.
  std::uint64_t LoopTimeOf(Tick tick, std::uint64_t loop_now) const {
    // The loop's cached time may be older than this wheel.
    const std::uint64_t passed = loop_now > origin_ms_ ? (loop_now - origin_ms_) / tick_ms_ : 0;
    const auto ahead = static_cast<std::int32_t>(tick - static_cast<Tick>(passed));
    const std::int64_t absolute = static_cast<std::int64_t>(passed) + ahead;
    return origin_ms_ + (absolute > 0 ? static_cast<std::uint64_t>(absolute) * tick_ms_ : 0);
  }

 private:
  std::uint64_t tick_ms_;
  std::uint64_t origin_ms_;
};

}  // namespace timeout_wheel
