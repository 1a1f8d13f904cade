// A 4-ary heap with lazy deletion, as in Go since 1.23: stopping or changing a timer only marks it. A marked timer is
// dropped when it reaches the head. The whole heap is cleaned and ordered again if more than a quarter is marked, or if
// the earliest changed deadline is reached. Timers of one tick run in any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../design.h"
#include "array_heap.h"
#include "pool.h"

namespace timeout_wheel::bench {

class LazyHeap {
  enum State : std::uint32_t { kHeaped, kModified, kZombie };

  struct Node {
    Tick deadline;
    State state;
  };

 public:
  using Handle = Node*;
  static constexpr Traits kTraits{.name = "lazy-heap", .fifo = false};

  explicit LazyHeap(std::size_t capacity) : pool_(capacity) {}

  Handle Schedule(Tick deadline) {
    Node* node = pool_.Take();
    *node = {deadline, kHeaped};
    CleanHead();
    heap_.Push({deadline, static_cast<std::uint32_t>(pool_.IndexOf(node))});
    return node;
  }
  void Cancel(Handle handle) {
    handle->state = kZombie;
    ++zombies_;
  }
  Handle Reschedule(Handle handle, Tick deadline) {
    *handle = {deadline, kModified};
    first_modified_ = std::min(first_modified_, deadline);
    return handle;
  }

  template <class F>
  void Advance(Tick now, F&& expired) {
    if (first_modified_ <= now) Adjust();
    for (;;) {
      CleanHead();
      if (heap_.empty() || heap_.front().key > now) break;
      Node* node = At(heap_.front());
      heap_.Remove(0);
      pool_.Give(node);
      expired(node);
    }
    Settle();
  }

  /// The deadline of the head, although its timer may have been stopped.
  Tick NextExpiry() const { return heap_.empty() ? kNoExpiry : std::min(heap_.front().key, first_modified_); }
  void Settle() {
    if (zombies_ > heap_.size() / 4) Adjust();
  }
  std::size_t Bytes() const { return pool_.Bytes() + heap_.Bytes() + sizeof(*this); }

 private:
  struct Entry {
    Tick key;
    std::uint32_t node;

    void MovedTo(std::size_t) const {}
  };

  Node* At(const Entry& entry) const { return pool_.At(entry.node); }

  // Repeats until the head is an unmarked timer.
  void CleanHead() {
    while (!heap_.empty()) {
      Node* node = At(heap_.front());
      if (node->state == kHeaped) return;
      if (node->state == kZombie) {
        heap_.Remove(0);
        pool_.Give(node);
        --zombies_;
      } else {
        node->state = kHeaped;
        heap_.Replace(0, {node->deadline, heap_.front().node});
      }
    }
  }

  void Adjust() {
    std::vector<Entry>& entries = heap_.entries();
    std::size_t kept = 0;
    for (const Entry& entry : entries) {
      Node* node = At(entry);
      if (node->state == kZombie) {
        pool_.Give(node);
        continue;
      }
      node->state = kHeaped;
      entries[kept++] = {node->deadline, entry.node};
    }
    entries.resize(kept);
    heap_.Heapify();
    zombies_ = 0;
    first_modified_ = kNoExpiry;
  }

  Pool<Node> pool_;
  ArrayHeap<4, Entry> heap_;
  std::size_t zombies_ = 0;
  Tick first_modified_ = kNoExpiry;
};

}  // namespace timeout_wheel::bench
