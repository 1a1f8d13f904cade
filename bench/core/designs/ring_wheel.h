// One ring of 65,536 slots of one tick. Timers of later rounds stay in their slot and are skipped. A bitmap of the
// occupied slots, which such rings usually do not have, avoids visits of empty slots.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../design.h"
#include "core/slot_bitmap.h"
#include "list.h"
#include "pool.h"

namespace timeout_wheel::bench {

class RingWheel {
  struct Node : Link {
    Tick deadline;
    std::uint32_t slot;
  };

 public:
  using Handle = Node*;
  static constexpr Traits kTraits{.name = "ring", .title = "ring of 65,536, rounds"};

  explicit RingWheel(std::size_t capacity) : pool_(capacity), slots_(kSlots) {}

  Handle Schedule(Tick deadline) {
    Node* node = pool_.Take();
    ++pending_;
    File(node, deadline);
    return node;
  }
  void Cancel(Handle handle) {
    Unlink(handle);
    pool_.Give(handle);
    --pending_;
  }
  Handle Reschedule(Handle handle, Tick deadline) {
    Unlink(handle);
    File(handle, deadline);
    return handle;
  }

  template <class F>
  void Advance(Tick now, F&& expired) {
    while (pending_ != 0) {
      const Tick next = NextExpiry();
      if (next > now) break;
      tick_ = next + 1;
      List due;
      Gather(next, due);
      while (!due.Empty()) {
        Node* node = static_cast<Node*>(due.front());
        node->Unlink();
        pool_.Give(node);
        --pending_;
        expired(node);
      }
    }
    tick_ = std::max(tick_, now + 1);
  }

  Tick NextExpiry() const { return pending_ == 0 ? kNoExpiry : tick_ + occupied_.DistanceFrom(tick_ & kMask); }
  void Settle() {}
  std::size_t Bytes() const { return pool_.Bytes() + slots_.capacity() * sizeof(List) + sizeof(*this); }
  std::size_t IndexOf(Handle handle) const { return pool_.IndexOf(handle); }

 private:
  static constexpr std::uint32_t kSlots = 1 << 16;
  static constexpr std::uint32_t kMask = kSlots - 1;

  void File(Node* node, Tick deadline) {
    node->deadline = deadline;
    node->slot = std::max(deadline, tick_) & kMask;
    slots_[node->slot].PushBack(node);
    occupied_.Set(node->slot);
  }
  void Unlink(Node* node) {
    node->Unlink();
    if (slots_[node->slot].Empty()) occupied_.Reset(node->slot);
  }

  // Collects all timers that are due at the tick before any runs, because a callback may cancel any of them.
  void Gather(Tick tick, List& due) {
    List& slot = slots_[tick & kMask];
    for (Link* link = slot.front(); link != slot.end();) {
      Link* next = link->next;
      if (static_cast<Node*>(link)->deadline <= tick) {
        link->Unlink();
        due.PushBack(link);
      }
      link = next;
    }
    if (slot.Empty()) occupied_.Reset(tick & kMask);
  }

  Pool<Node> pool_;
  std::vector<List> slots_;
  SlotBitmap<kSlots> occupied_;
  Tick tick_ = 1;  // the next one to process
  std::size_t pending_ = 0;
};

static_assert(Design<RingWheel>);

}  // namespace timeout_wheel::bench
