// Which slots of a ring are occupied. Bit i is set exactly when slot i is not empty.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace timeout_wheel {

template <std::uint32_t kSlots>
class SlotBitmap {
  static_assert(kSlots % 64 == 0 && std::has_single_bit(kSlots));

 public:
  void Set(std::uint32_t slot) { words_[slot / 64] |= std::uint64_t{1} << (slot % 64); }
  void Reset(std::uint32_t slot) { words_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64)); }
  bool Test(std::uint32_t slot) const { return (words_[slot / 64] >> (slot % 64) & 1) != 0; }
  void Clear() { words_.fill(0); }

  /// How many slots lie between `slot` and the first occupied one at or after it, around the ring; kSlots: none is.
  /// O(kSlots / 64).
  std::uint32_t DistanceFrom(std::uint32_t slot) const {
    std::uint32_t word = slot / 64;
    std::uint64_t bits = words_[word] & (~std::uint64_t{0} << (slot % 64));
    for (std::uint32_t i = 0; i <= kWords; ++i) {
      if (bits != 0) {
        const auto found = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        return (found - slot) & (kSlots - 1);
      }
      word = (word + 1) % kWords;
      bits = words_[word];
    }
    return kSlots;
  }

 private:
  static constexpr std::uint32_t kWords = kSlots / 64;
  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace timeout_wheel
