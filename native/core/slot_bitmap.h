// Which slots of a ring are occupied. Bit i is set exactly when slot i is not empty.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "one_copy.h"

namespace timeout_wheel {

/// SlotBitmap::DistanceFrom over `count` words. 64 * count: none is occupied.
TIMEOUT_WHEEL_ONE_COPY std::uint32_t DistanceIn(const std::uint64_t* words, std::uint32_t count, std::uint32_t slot) {
  std::uint32_t word = slot / 64;
  std::uint64_t bits = words[word] & (~std::uint64_t{0} << (slot % 64));
  for (std::uint32_t i = 0; i <= count; ++i) {
    if (bits != 0) {
      const auto found = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
      return (found - slot) & (count * 64 - 1);
    }
    word = (word + 1) & (count - 1);
    bits = words[word];
  }
  return count * 64;
}

/// SlotBitmap::Test of the slots whose words begin at `words`.
inline bool TestIn(const std::uint64_t* words, std::uint32_t slot) {
  return (words[slot / 64] >> (slot % 64) & 1) != 0;
}

template <std::uint32_t kSlots>
class SlotBitmap {
  static_assert(kSlots % 64 == 0);

 public:
  void Set(std::uint32_t slot) { words_[slot / 64] |= std::uint64_t{1} << (slot % 64); }
  void Reset(std::uint32_t slot) { words_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64)); }
  bool Test(std::uint32_t slot) const { return (words_[slot / 64] >> (slot % 64) & 1) != 0; }
  void Clear() { words_.fill(0); }

  /// How many slots lie between `slot` and the first occupied one at or after it, around the ring; kSlots: none is.
  /// O(kSlots / 64).
  std::uint32_t DistanceFrom(std::uint32_t slot) const { return DistanceIn(words_.data(), kWords, slot); }

  std::uint64_t* words() { return words_.data(); }
  const std::uint64_t* words() const { return words_.data(); }

 private:
  static constexpr std::uint32_t kWords = kSlots / 64;
  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace timeout_wheel
