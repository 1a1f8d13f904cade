// A hashed ring of 512 slots. Each slot is a binary heap by deadline, and a delay queue (a binary heap) orders the
// slots by their first deadline. It has no rounds and no empty ticks; an operation is O(log n) within a slot.
#pragma once

#include <cstdint>
#include <vector>

#include "../design.h"
#include "array_heap.h"
#include "pool.h"

namespace timeout_wheel::bench {

struct HeapNode {
  Tick deadline;
  std::uint32_t place;
};

class SlotHeaps : public Filing<SlotHeaps, HeapNode> {
  friend Filing;

 public:
  static constexpr Traits kTraits{.name = "slot-heaps"};

  explicit SlotHeaps(std::size_t capacity) : Filing(capacity), slots_(kSlots) {}

  template <class F>
  void Advance(Tick now, F&& expired) {
    while (!queue_.empty() && TickOf(queue_.front().key) <= now) {
      HeapNode* node = queue_.front().slot->heap.front().node;
      Cancel(node);
      expired(node);
    }
  }

  Tick NextExpiry() const { return queue_.empty() ? kNoExpiry : TickOf(queue_.front().key); }
  std::size_t Bytes() const {
    std::size_t bytes = pool_.Bytes() + queue_.Bytes() + slots_.capacity() * sizeof(Slot) + sizeof(*this);
    for (const Slot& slot : slots_) bytes += slot.heap.Bytes();
    return bytes;
  }

 private:
  static constexpr std::uint32_t kSlots = 512;

  // A key is the deadline in the upper bits, and the number of the operation in the lower ones.
  struct Entry {
    std::uint64_t key;
    HeapNode* node;

    void MovedTo(std::size_t at) const { node->place = static_cast<std::uint32_t>(at); }
  };
  struct Slot {
    ArrayHeap<2, Entry> heap;
    std::size_t place = 0;
  };
  struct QueueEntry {
    std::uint64_t key;
    Slot* slot;

    void MovedTo(std::size_t at) const { slot->place = at; }
  };

  static Tick TickOf(std::uint64_t key) { return static_cast<Tick>(key >> 32); }

  void File(HeapNode* node, Tick deadline) {
    node->deadline = deadline;
    Slot& slot = slots_[deadline % kSlots];
    const bool was_empty = slot.heap.empty();
    slot.heap.Push({std::uint64_t{deadline} << 32 | order_++, node});
    if (was_empty) {
      queue_.Push({slot.heap.front().key, &slot});
    } else if (node->place == 0) {
      queue_.Replace(slot.place, {slot.heap.front().key, &slot});
    }
  }
  void Unlink(HeapNode* node) {
    Slot& slot = slots_[node->deadline % kSlots];
    const bool was_first = node->place == 0;
    slot.heap.Remove(node->place);
    if (slot.heap.empty()) {
      queue_.Remove(slot.place);
    } else if (was_first) {
      queue_.Replace(slot.place, {slot.heap.front().key, &slot});
    }
  }

  std::vector<Slot> slots_;
  ArrayHeap<2, QueueEntry> queue_;
  std::uint32_t order_ = 0;
};

}  // namespace timeout_wheel::bench
