// Linux since 4.8: 9 levels of 64 slots, each level 8 times coarser than the one below, and no cascades. A timer stays
// in its slot and runs when the slot ends: late by up to an eighth of its delay, never early. A slot is a list that
// grows at its front, so that the timers of a slot run in reverse order.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "../design.h"
#include "pool.h"

namespace timeout_wheel::bench {

// Linked like the kernel's hlist: the head of a slot is one pointer.
struct LinuxNode {
  LinuxNode* next;
  LinuxNode** link;  // the pointer that points here
  std::uint32_t slot;
};

class LinuxWheel : public Filing<LinuxWheel, LinuxNode> {
  friend Filing;

 public:
  static constexpr Traits kTraits{.name = "linux", .exact = false, .fifo = false};

  explicit LinuxWheel(std::size_t capacity) : Filing(capacity) {}

  template <class F>
  void Advance(Tick now, F&& expired) {
    for (Tick next = NextExpiry(); next <= now; next = NextExpiry()) {
      tick_ = next;
      std::array<LinuxNode*, kLevels> due;
      std::uint32_t count = Collect(due);
      ++tick_;
      // Coarse slots first, in the order in which the kernel runs its collected lists.
      while (count-- != 0) Run(due[count], expired);
    }
    tick_ = std::max(tick_, now + 1);
  }

  Tick NextExpiry() const {
    Tick next = kNoExpiry;
    Tick clock = tick_;
    for (std::uint32_t level = 0; level < kLevels; ++level) {
      const std::uint64_t from_clock = std::rotr(occupied_[level], static_cast<int>(clock % kSlots));
      const auto ahead = static_cast<std::uint32_t>(std::countr_zero(from_clock));
      if (from_clock != 0) next = std::min(next, (clock + ahead) << (level * kShift));
      // The next start of a slot of the level above, at or after now.
      clock = (clock + (1U << kShift) - 1) >> kShift;
    }
    return next;
  }
  std::size_t Bytes() const { return pool_.Bytes() + sizeof(*this); }

 private:
  static constexpr std::uint32_t kSlots = 64;
  static constexpr std::uint32_t kShift = 3;
  static constexpr std::uint32_t kLevels = 9;

  // The delay from which on a level is used.
  static constexpr Tick StartOf(std::uint32_t level) { return (kSlots - 1) << ((level - 1) * kShift); }

  void File(LinuxNode* node, Tick deadline) {
    const Tick due = std::min(std::max(deadline, tick_), tick_ + StartOf(kLevels) - 1);
    std::uint32_t level = 0;
    while (due - tick_ >= StartOf(level + 1)) ++level;
    // Rounded up to the start of the next slot, so that no timer runs early.
    const std::uint32_t shift = level * kShift;
    const std::uint32_t slot = ((due + (1U << shift) - 1) >> shift) % kSlots;
    node->slot = level * kSlots + slot;
    LinuxNode*& head = slots_[node->slot];
    node->next = head;
    node->link = &head;
    if (head != nullptr) head->link = &node->next;
    head = node;
    occupied_[level] |= std::uint64_t{1} << slot;
  }
  void Unlink(LinuxNode* node) {
    *node->link = node->next;
    if (node->next != nullptr) node->next->link = node->link;
    if (slots_[node->slot] == nullptr) Empty(node->slot / kSlots, node->slot % kSlots);
  }

  void Empty(std::uint32_t level, std::uint32_t slot) { occupied_[level] &= ~(std::uint64_t{1} << slot); }

  // Detaches the slots that start at tick_, by level. Returns their number.
  std::uint32_t Collect(std::array<LinuxNode*, kLevels>& due) {
    std::uint32_t count = 0;
    Tick clock = tick_;
    for (std::uint32_t level = 0; level < kLevels; ++level) {
      const std::uint32_t slot = clock % kSlots;
      if ((occupied_[level] >> slot & 1) != 0) {
        Empty(level, slot);
        LinuxNode*& head = due[count++];
        head = std::exchange(slots_[level * kSlots + slot], nullptr);
        head->link = &head;
      }
      if ((clock & ((1U << kShift) - 1)) != 0) break;
      clock >>= kShift;
    }
    return count;
  }

  template <class F>
  void Run(LinuxNode*& head, F&& expired) {
    while (head != nullptr) {
      LinuxNode* node = head;
      head = node->next;
      if (head != nullptr) head->link = &head;
      pool_.Give(node);
      expired(node);
    }
  }

  std::array<LinuxNode*, std::size_t{kLevels} * kSlots> slots_{};
  std::array<std::uint64_t, kLevels> occupied_{};  // a bit for each slot
  Tick tick_ = 1;                                  // the next one to process
};

}  // namespace timeout_wheel::bench
