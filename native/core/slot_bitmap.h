// Which slots of a ring are occupied. Bit i is set exactly when slot i is not empty.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "size_profile.h"

namespace timeout_wheel {

/// 32 bits in the size profile, where they make the smallest code.
using BitmapWord = std::conditional_t<kOptimizeForSize, std::uint32_t, std::uint64_t>;
inline constexpr std::uint32_t kBitmapWordBits = sizeof(BitmapWord) * 8;

/// The number of slots from `slot` to the first occupied slot at or after it, around the ring whose bitmap is the
/// `count` words from `words` on. Returns kBitmapWordBits * count if no slot is occupied. O(count).
TIMEOUT_WHEEL_INLINE_FOR_SPEED std::uint32_t DistanceIn(const BitmapWord* words, std::uint32_t count,
                                                        std::uint32_t slot) {
  std::uint32_t word = slot / kBitmapWordBits;
  BitmapWord bits = words[word] & (~BitmapWord{0} << (slot % kBitmapWordBits));
  for (std::uint32_t i = 0; i <= count; ++i) {
    if (bits != 0) {
      const auto found = word * kBitmapWordBits + static_cast<std::uint32_t>(std::countr_zero(bits));
      return (found - slot) & (count * kBitmapWordBits - 1);
    }
    word = (word + 1) & (count - 1);
    bits = words[word];
  }
  return count * kBitmapWordBits;
}

/// SlotBitmap::Test for the bitmap whose words begin at `words`.
inline bool TestIn(const BitmapWord* words, std::uint32_t slot) {
  return (words[slot / kBitmapWordBits] >> (slot % kBitmapWordBits) & 1) != 0;
}

template <std::uint32_t kSlots>
class SlotBitmap {
  static_assert(kSlots % kBitmapWordBits == 0);

 public:
  void Set(std::uint32_t slot) { words_[slot / kBitmapWordBits] |= BitmapWord{1} << (slot % kBitmapWordBits); }
  TIMEOUT_WHEEL_INLINE_FOR_SPEED void Reset(std::uint32_t slot) {
    words_[slot / kBitmapWordBits] &= ~(BitmapWord{1} << (slot % kBitmapWordBits));
  }
  TIMEOUT_WHEEL_INLINE_FOR_SPEED bool Test(std::uint32_t slot) const {
    return (words_[slot / kBitmapWordBits] >> (slot % kBitmapWordBits) & 1) != 0;
  }
  void Clear() { words_.fill(0); }

  const BitmapWord* words() const { return words_.data(); }

 private:
  std::array<BitmapWord, kSlots / kBitmapWordBits> words_{};
};

}  // namespace timeout_wheel
