// Six levels of 64 slots with intrusive lists, and one occupancy word per level, as in tokio's time wheel and
// wahern/timeout. The highest digit in which deadline and time differ decides the level. So no timer enters a slot from
// above after the span of the slot has begun, and timers of one tick keep their order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "../design.h"
#include "list.h"
#include "pool.h"

namespace timeout_wheel::bench {

struct TokioNode : Link {
  Tick deadline;
  std::uint32_t slot;  // level * 64 + slot
};

class TokioWheel : public Filing<TokioWheel, TokioNode> {
  friend Filing;

 public:
  static constexpr Traits kTraits{.name = "tokio"};

  explicit TokioWheel(std::size_t capacity) : Filing(capacity) {}

  template <class F>
  void Advance(Tick now, F&& expired) {
    for (Next next = NextSlot(); next.start <= now; next = NextSlot()) {
      elapsed_ = next.start;
      Vacate(next.slot);
      const bool cascades = next.slot >= kSlots;
      slots_[next.slot].Drain([&](TokioNode* node) {
        // A timer that is due at once moves to its empty slot of level 0 too, and runs when all timers have been moved.
        if (cascades) return FileAt(node, std::max(node->deadline, elapsed_));
        pool_.Give(node);
        expired(node);
      });
    }
    elapsed_ = std::max(elapsed_, now);
  }

  Tick NextExpiry() const { return NextSlot().start; }
  std::size_t Bytes() const { return pool_.Bytes() + sizeof(*this); }

 private:
  static constexpr std::uint32_t kBits = 6;
  static constexpr std::uint32_t kSlots = 1 << kBits;
  static constexpr std::uint32_t kLevels = 6;

  struct Next {
    Tick start;
    std::uint32_t slot;
  };

  void File(TokioNode* node, Tick deadline) {
    node->deadline = deadline;
    FileAt(node, std::max(deadline, elapsed_ + 1));
  }
  void FileAt(TokioNode* node, Tick due) {
    const auto highest = static_cast<std::uint32_t>(std::bit_width((elapsed_ ^ due) | (kSlots - 1))) - 1;
    const std::uint32_t level = highest / kBits;
    const std::uint32_t slot = (due >> (level * kBits)) & (kSlots - 1);
    node->slot = level * kSlots + slot;
    slots_[node->slot].PushBack(node);
    occupied_[level] |= std::uint64_t{1} << slot;
  }
  void Unlink(TokioNode* node) {
    node->Unlink();
    if (slots_[node->slot].Empty()) Vacate(node->slot);
  }
  void Vacate(std::uint32_t slot) { occupied_[slot / kSlots] &= ~(std::uint64_t{1} << (slot % kSlots)); }

  // The lowest occupied level has the earliest slot.
  Next NextSlot() const {
    for (std::uint32_t level = 0; level < kLevels; ++level) {
      if (occupied_[level] == 0) continue;
      const std::uint32_t shift = level * kBits;
      const auto slot = static_cast<std::uint32_t>(std::countr_zero(occupied_[level]));
      const std::uint64_t range = std::uint64_t{1} << (shift + kBits);
      const std::uint64_t start = (elapsed_ & ~(range - 1)) + (std::uint64_t{slot} << shift);
      return {static_cast<Tick>(start), level * kSlots + slot};
    }
    return {kNoExpiry, 0};
  }

  Tick elapsed_ = 0;
  std::array<std::uint64_t, kLevels> occupied_{};
  std::array<List<TokioNode>, std::size_t{kLevels} * kSlots> slots_;
};

}  // namespace timeout_wheel::bench
