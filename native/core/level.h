// The levels of the wheel: how the ticks ahead are divided into slots.
//
//   level   a slot covers       slots   reaches (at 1 ms a tick)        its slots' numbers
//   0       1 tick               512    this window of 256 and the next     0 ..  511
//   1       256 ticks            512    this period of 65,536 and the next  512 .. 1,023
//   2       65,536 ticks         256    4.6 hours                         1,024 .. 1,279
//   3       16,777,216 ticks     256    49.7 days: all of the scale       1,280 .. 1,535
//
// Levels 0 and 1 have room for two slots of the level above: the present one and the next. So the next slot can be
// moved down in parts, ahead of time.
#pragma once

#include <cstdint>

#include "record.h"
#include "slot_bitmap.h"

namespace timeout_wheel {

inline constexpr std::uint32_t kSlots = 1536;

/// Which slots of all levels are occupied.
using OccupiedSlots = SlotBitmap<kSlots>;

/// TicksToNextSlot for the ring of `count` slots that begins with slot `first`.
TIMEOUT_WHEEL_INLINE_FOR_SPEED std::uint32_t TicksToNextSlotIn(const OccupiedSlots& occupied, std::uint32_t count,
                                                               std::uint32_t first, std::uint32_t shift, Tick now) {
  const std::uint32_t ahead =
      DistanceIn(occupied.words() + first / kBitmapWordBits, count / kBitmapWordBits, (now >> shift) & (count - 1));
  return ahead == count ? UINT32_MAX : (((now >> shift) + ahead) << shift) - now;
}

/// One ring of slots that cover 2^kShiftBits ticks each.
template <std::uint32_t kShiftBits, std::uint32_t kCount, std::uint32_t kFirst>
struct Level {
  static constexpr std::uint32_t kShift = kShiftBits;
  static constexpr std::uint32_t kCovered = std::uint32_t{1} << kShift;
  static constexpr std::uint32_t kFirstSlot = kFirst;
  static constexpr std::uint32_t kSlotCount = kCount;

  /// The number of the slot that holds `tick`, among the slots of all levels.
  static constexpr std::uint32_t SlotOf(Tick tick) { return kFirst + ((tick >> kShift) & (kCount - 1)); }
  /// The first tick of the slot that holds `tick`.
  static constexpr Tick StartOf(Tick tick) { return tick >> kShift << kShift; }
  /// The first tick of slot `slot` as seen from `now`.
  static constexpr Tick StartOfSlot(std::uint32_t slot, Tick now) {
    const std::uint32_t ahead = (slot - SlotOf(now)) & (kCount - 1);
    return ((now >> kShift) + ahead) << kShift;
  }
};

/// Ticks from `now` to the start of the level's next occupied slot; UINT32_MAX if no slot is occupied. If the slot that
/// holds `now` is occupied, it must start at `now`.
template <class L>
std::uint32_t TicksToNextSlot(const OccupiedSlots& occupied, Tick now) {
  return TicksToNextSlotIn(occupied, L::kSlotCount, L::kFirstSlot, L::kShift, now);
}

}  // namespace timeout_wheel
