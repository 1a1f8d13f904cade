// The hashed wheel with rounds of Netty's HashedWheelTimer: a ring of 512 slots. Scheduling and cancelling only append
// to queues. The next tick takes the queues, at most 100,000 insertions. Every tick is run, and skips timers of later
// rounds. The default tick of Netty is 100 ms; here it is 1 ms, as in all designs. It has no reschedule, so a timer is
// cancelled and scheduled again. Netty 3 inserts at once and has the same ring.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "../design.h"
#include "list.h"
#include "pool.h"

namespace timeout_wheel::bench {

class NettyWheel {
  enum State : std::uint32_t { kQueued, kFiled, kCancelled, kCancelledQueued };

  struct Node : Link {
    Tick deadline;
    std::uint32_t state : 2;
    std::uint32_t rounds : 30;
  };

 public:
  using Handle = Node*;
  static constexpr Traits kTraits{.name = "netty"};

  explicit NettyWheel(std::size_t capacity) : pool_(capacity) {}

  Handle Schedule(Tick deadline) {
    Node* node = pool_.Take();
    node->deadline = deadline;
    node->state = kQueued;
    ++pending_;
    insertions_.push_back(node);
    return node;
  }
  void Cancel(Handle handle) {
    handle->state = handle->state == kQueued ? kCancelledQueued : kCancelled;
    --pending_;
    if (handle->state == kCancelled) cancellations_.push_back(handle);
  }
  Handle Reschedule(Handle handle, Tick deadline) {
    Cancel(handle);
    return Schedule(deadline);
  }

  template <class F>
  void Advance(Tick now, F&& expired) {
    for (; tick_ <= now; ++tick_) {
      Settle();
      RunSlot(slots_[tick_ % kSlots], expired);
    }
  }

  /// The next tick, because Netty wakes at every tick.
  Tick NextExpiry() const { return pending_ == 0 ? kNoExpiry : tick_; }

  void Settle() {
    for (Node* node : cancellations_) {
      node->Unlink();
      pool_.Give(node);
    }
    cancellations_.clear();
    const std::size_t end = std::min(insertions_.size(), taken_ + kTransfersPerTick);
    for (; taken_ < end; ++taken_) {
      Node* node = insertions_[taken_];
      if (node->state == kCancelledQueued) {
        pool_.Give(node);
        continue;
      }
      const Tick due = std::max(node->deadline, tick_);
      node->rounds = (due - tick_) / kSlots;
      node->state = kFiled;
      slots_[due % kSlots].PushBack(node);
    }
    if (taken_ != insertions_.size()) return;
    insertions_.clear();
    taken_ = 0;
  }

  std::size_t Bytes() const {
    return pool_.Bytes() + (insertions_.capacity() + cancellations_.capacity()) * sizeof(Node*) + sizeof(*this);
  }

 private:
  static constexpr std::uint32_t kSlots = 512;
  static constexpr std::size_t kTransfersPerTick = 100000;

  // A callback only appends to the queues, so it does not change the slot.
  template <class F>
  void RunSlot(List<Node>& slot, F&& expired) {
    for (Link* link = slot.front(); link != slot.end();) {
      Node* node = static_cast<Node*>(link);
      link = link->next;
      if (node->state == kCancelled) continue;
      if (node->rounds != 0) {
        --node->rounds;
        continue;
      }
      node->Unlink();
      pool_.Give(node);
      --pending_;
      expired(node);
    }
  }

  Pool<Node> pool_;
  std::array<List<Node>, kSlots> slots_;
  std::vector<Node*> insertions_;
  std::size_t taken_ = 0;
  std::vector<Node*> cancellations_;
  Tick tick_ = 1;  // the next one to process
  std::size_t pending_ = 0;
};

}  // namespace timeout_wheel::bench
