// How much of its last tick has passed when the last of the timers is due that are filed for a tick: a deadline is the
// end of that tick, and where all of them are due before it, the event loop need not be woken so late. What is not
// known is a whole tick.
//
// Known are deadlines of level 0, which are filed as they were set: what is put off to one later, or comes from a level
// above, may be due whenever in its tick.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "size_profile.h"

namespace timeout_wheel {

inline constexpr double kWholeTick = 1;

/// With what is known, by slots of level 0.
template <std::uint32_t kSlotCount>
class KnownDueWithinTick {
 public:
  /// The submissions are taken: what is filed until the next call was submitted from `since` on, and before `closed`.
  /// `exact` says whether all their delays are whole ticks from their operations on.
  void BeginSubmissions(double since, double closed, bool exact) {
    const double tick = std::floor(since);
    // What is set at the beginning of a tick has its deadline a tick sooner.
    step_ = StepOf(exact && since > tick && closed < tick + 1 ? closed - tick : kWholeTick);
  }
  void EndSubmissions() { step_ = StepOf(kWholeTick); }

  /// Something is filed in `slot`, as the first there or not.
  void Note(std::uint32_t slot, bool first) { latest_[slot] = first ? step_ : std::max(latest_[slot], step_); }

  /// When in its tick the last of what is filed in `slot`, which is not empty, is due.
  double Of(std::uint32_t slot) const { return (latest_[slot] + 1) / kSteps; }

 private:
  // Parts are kept in steps, rounded up: each wheel has this table.
  static constexpr double kSteps = 65536;
  static std::uint16_t StepOf(double part) { return static_cast<std::uint16_t>(std::ceil(part * kSteps) - 1); }

  std::uint16_t step_ = StepOf(kWholeTick);
  std::array<std::uint16_t, kSlotCount> latest_{};
};

/// WebAssembly's hosts wake it by whole milliseconds.
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
