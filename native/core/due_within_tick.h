// When within a tick the last of its timers is due.
//
// A deadline is the end of the tick in which the timer is due. If all timers of a deadline are due earlier in that last
// tick, the event loop can be woken earlier. For each slot of level 0, this table keeps the part of the last tick, from
// 0 to 1, after which all timers of the slot are due.
//
// The part is known only for timers that are filed in level 0 when they are set. A timer that was postponed to a slot,
// or came from a level above, may be due anywhere in its last tick. It counts as a whole tick.
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
    step_ = StepOf(exact && since > tick && closed < tick + 1 ? closed - tick : kWholeTick);
  }
  void EndSubmissions() { step_ = StepOf(kWholeTick); }

  /// A record is filed in `slot`. `first`: the slot was empty.
  void Note(std::uint32_t slot, bool first) { latest_[slot] = first ? step_ : std::max(latest_[slot], step_); }

  /// The part of the last tick after which all timers in `slot` are due. The slot must not be empty.
  double Of(std::uint32_t slot) const { return (latest_[slot] + 1) / kSteps; }

 private:
  // Parts are stored as 16-bit steps, rounded up, because each wheel has this table.
  static constexpr double kSteps = 65536;
  static std::uint16_t StepOf(double part) { return static_cast<std::uint16_t>(std::ceil(part * kSteps) - 1); }

  std::uint16_t step_ = StepOf(kWholeTick);
  std::array<std::uint16_t, kSlotCount> latest_{};
};

/// For WebAssembly, whose hosts wake it by whole milliseconds: every part is a whole tick.
class UnknownDueWithinTick {
 public:
  void BeginSubmissions(double /*since*/, double /*closed*/, bool /*exact*/) {}
  void EndSubmissions() {}
  void Note(std::uint32_t /*slot*/, bool /*first*/) {}
  double Of(std::uint32_t /*slot*/) const { return kWholeTick; }
};

template <std::uint32_t kSlotCount>
using DueWithinTick = std::conditional_t<kOptimizeForSize, UnknownDueWithinTick, KnownDueWithinTick<kSlotCount>>;

}  // namespace timeout_wheel
