// The slots of all levels: how the time ahead is divided.
//
//   level   a slot covers            reaches (at 1 ms a tick)
//   0       1 tick                   0.26 s
//   1       256 ticks                65 s
//   2       65,536 ticks             4.7 hours
//   3       16,777,216 ticks         50 days
//   4 .. 6  256 times as many        35 years .. 2.3 million years
//
// Each level has 256 slots. A tick belongs to the level of the highest byte in which it differs from the wheel's tick,
// and there to the slot of that byte. So all entries of a level lie ahead of the wheel in one turn of its ring, and
// each slot has one start.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "chains.h"
#include "record.h"

namespace timeout_wheel {

inline constexpr std::uint32_t kLevels = 7;
inline constexpr std::uint32_t kSlotBits = 8;
inline constexpr std::uint32_t kSlotsPerLevel = 1U << kSlotBits;
inline constexpr std::uint32_t kSlots = kLevels * kSlotsPerLevel;
/// The last tick. Level 6 reaches it.
inline constexpr Tick kLastTick = Tick{1} << 53;

using SlotNumber = std::uint32_t;

constexpr std::uint32_t LevelOf(SlotNumber slot) { return slot >> kSlotBits; }
constexpr std::uint32_t ShiftOf(SlotNumber slot) { return LevelOf(slot) * kSlotBits; }
/// The ticks that the slot covers.
constexpr Tick CoveredBy(SlotNumber slot) { return Tick{1} << ShiftOf(slot); }
/// The slot of a level that holds `tick`.
TIMEOUT_WHEEL_ONE_COPY constexpr SlotNumber SlotOn(std::uint32_t level, Tick tick) {
  return level * kSlotsPerLevel + static_cast<std::uint32_t>((tick >> (level * kSlotBits)) & (kSlotsPerLevel - 1));
}
/// The slot for `tick`, which is not before `now`, the wheel's tick.
inline SlotNumber SlotFor(Tick tick, Tick now) {
  const auto differing = static_cast<std::uint64_t>(tick ^ now);
  return SlotOn(static_cast<std::uint32_t>(std::bit_width(differing >> 1)) / kSlotBits, tick);
}
/// The first tick of a slot.
constexpr Tick StartOf(SlotNumber slot, Tick now) {
  const Tick turn = now >> ShiftOf(slot) >> kSlotBits << kSlotBits;
  return (turn | (slot & (kSlotsPerLevel - 1))) << ShiftOf(slot);
}

struct Slot {
  Chain chain;
  /// Level 0: a time at or after all due times in the slot. The wheel wakes then, so a lone timer runs at its own time
  /// and the many of a tick run together. Other levels: a time at or before all of them.
  double bound;
};

/// Which slots are occupied: a bit for each slot, and one for each level.
class OccupiedSlots {
 public:
  static constexpr SlotNumber kNoSlot = UINT32_MAX;

  bool Test(SlotNumber slot) const { return (words_[slot / 64] >> (slot % 64) & 1) != 0; }
  void Set(SlotNumber slot) {
    words_[slot / 64] |= std::uint64_t{1} << (slot % 64);
    levels_ |= 1U << LevelOf(slot);
  }
  void Reset(SlotNumber slot) {
    words_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
    if (First(LevelOf(slot) * kSlotsPerLevel) == kNoSlot) levels_ &= ~(1U << LevelOf(slot));
  }
  /// Whether a slot of this level or of a higher one can be occupied.
  bool HasLevelFrom(std::uint32_t level) const {
#ifdef __wasm__  // Shorter: pages load it.
    return level < kLevels;
#endif
    return levels_ >> level != 0;
  }
  /// Whether a slot of the level is occupied.
  bool HasLevel(std::uint32_t level) const { return (levels_ >> level & 1) != 0; }

  /// The first occupied slot of the level from `slot` on.
  SlotNumber First(SlotNumber slot) const {
    std::uint32_t word = slot / 64;
    std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (slot % 64));
    for (;;) {
      if (bits != 0) return word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
      if (++word % (kSlotsPerLevel / 64) == 0) return kNoSlot;
      bits = words_[word];
    }
  }
  /// The same, for a level that has an occupied slot. None lies before the slot of the present tick.
  SlotNumber FirstOf(SlotNumber slot) const {
    const SlotNumber first = First(slot);
    if (first == kNoSlot) __builtin_unreachable();
    return first;
  }

 private:
  std::array<std::uint64_t, kSlots / 64> words_{};
  std::uint32_t levels_ = 0;
};

}  // namespace timeout_wheel
