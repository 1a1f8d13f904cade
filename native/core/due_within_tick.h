// When within a tick the last of its timers is due.
//
// A deadline is the end of the tick in which the timer is due. So a timer of 10 ms that the callback of another sets,
// just after the start of a tick, would wait nearly 11 ms. But then all timers of its last tick are due just after the
// start of that tick, and the event loop can be woken at that time. For each slot of level 0, this table keeps the part
// of the last tick, from 0 to 1, after which all timers of the slot are due: closed - floor(since) for operations
// between the times `since` and `closed`, if both are within one tick.
//
// The part is a whole tick if it is not known: for delays with a fraction, for turns that take longer than a tick, for
// timers that were postponed to the slot, and for timers that came from a level above, which are all delays of half a
// second or more, and some of a quarter of a second or more. If a record is set again for the tick in which it has an
// entry, it is submitted again, because its part has changed. Before the wheel expires a tick early, the ticks before
// it must be empty, because one of their timers may have been postponed to this tick.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "size_profile.h"

namespace timeout_wheel {

inline constexpr double kWholeTick = 1;

/// Keeps the part for each slot of level 0.
template <std::uint32_t kSlotCount>
class KnownDueWithinTick {
 public:
  /// Until EndSubmissions, each filed record was submitted between `since` and `closed`. `exact`: all their delays,
  /// counted from their operations, are whole ticks.
  void BeginSubmissions(double since, double closed, bool exact) {
    const double tick = std::floor(since);
    // A timer that is set exactly at the start of a tick has its deadline a tick earlier.
    part_ = Rounded(exact && since > tick && closed < tick + 1 ? closed - tick : kWholeTick);
  }
  void EndSubmissions() { part_ = Rounded(kWholeTick); }

  /// A record is filed in `slot`. `first`: the slot was empty.
  void Add(std::uint32_t slot, bool first) { latest_[slot] = first ? part_ : std::max(latest_[slot], part_); }

  /// The part of the last tick after which all timers in `slot` are due. The slot must not be empty.
  double Of(std::uint32_t slot) const { return (latest_[slot] + 1) / kParts; }

 private:
  // Parts are stored as 16-bit fractions, rounded up, because each wheel has this table.
  static constexpr double kParts = 65536;
  static std::uint16_t Rounded(double part) { return static_cast<std::uint16_t>(std::ceil(part * kParts) - 1); }

  std::uint16_t part_ = Rounded(kWholeTick);
  std::array<std::uint16_t, kSlotCount> latest_{};
};

/// For WebAssembly, whose hosts wake it by whole milliseconds: every part is a whole tick.
class UnknownDueWithinTick {
 public:
  void BeginSubmissions(double, double, bool) {}         // Unreached: natively.
  void EndSubmissions() {}                               // Unreached: natively.
  void Add(std::uint32_t, bool) {}                       // Unreached: natively.
  double Of(std::uint32_t) const { return kWholeTick; }  // Unreached: natively.
};

template <std::uint32_t kSlotCount>
using DueWithinTick = std::conditional_t<kOptimizeForSize, UnknownDueWithinTick, KnownDueWithinTick<kSlotCount>>;

}  // namespace timeout_wheel
