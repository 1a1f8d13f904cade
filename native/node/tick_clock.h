// The monotonic clock, in ticks of one wheel.
#pragma once

#include <cstdint>

#include "../core/record.h"
#include "libuv.h"

namespace timeout_wheel {

inline constexpr std::uint64_t kNsPerUs = 1'000;
inline constexpr std::uint64_t kNsPerMs = 1'000'000;

class TickClock {
 public:
  /// Starts now, at a whole millisecond of the loop's clock, so ticks begin together with libuv's milliseconds.
  explicit TickClock(std::uint64_t tick_us)
      : tick_ns_(tick_us * kNsPerUs), origin_ns_(uv_hrtime() / kNsPerMs * kNsPerMs) {}

  /// The ticks that have passed at `hrtime`, with their fraction.
  double TicksAt(std::uint64_t hrtime) const {
    return static_cast<double>(hrtime - origin_ns_) / static_cast<double>(tick_ns_);
  }

  std::uint64_t tick_ns() const { return tick_ns_; }

  /// The time at which `tick` begins, in nanoseconds of uv_hrtime. Of all ticks with this number, it is the one within
  /// 2^31 ticks of `near`. At most `farthest`: a time more than 584 years ahead would overflow.
  std::uint64_t TimeOf(Tick tick, std::uint64_t near, std::uint64_t farthest) const {
    const auto ahead = static_cast<std::int32_t>(tick - static_cast<Tick>(near));
    const std::int64_t absolute = static_cast<std::int64_t>(near) + ahead;
    if (absolute <= 0) return origin_ns_;
    const auto ticks = static_cast<std::uint64_t>(absolute);
    return ticks < (farthest - origin_ns_) / tick_ns_ ? origin_ns_ + ticks * tick_ns_ : farthest;
  }

 private:
  std::uint64_t tick_ns_;
  std::uint64_t origin_ns_;
};

}  // namespace timeout_wheel
