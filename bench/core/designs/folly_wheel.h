// Four levels of 256 slots with intrusive lists, and a bitmap of the lowest level. The distance to the deadline decides
// the level. folly's HHWheelTimer and Linux before 4.8 have this design. It is not first in, first out: a timer in a
// low level runs before an older one of the same tick that waits in a higher level.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "../design.h"
#include "core/slot_bitmap.h"
#include "list.h"
#include "pool.h"

namespace timeout_wheel::bench {

class FollyWheel {
  struct Node : Link {
    Tick deadline;
    std::uint32_t slot;  // of level 0, or kNotLowest
  };

 public:
  using Handle = Node*;
  static constexpr Traits kTraits{.name = "folly", .title = "4 levels of 256 (folly)", .fifo = false};

  explicit FollyWheel(std::size_t capacity) : pool_(capacity) {}

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
    while (tick_ <= now) {
      const std::uint32_t index = tick_ & kMask;
      if (index == 0) CascadeAll();
      ++tick_;
      if (occupied_.Test(index)) Run(index, expired);
      tick_ = std::min(now + 1, tick_ + Empty());
    }
  }

  /// The next occupied slot of this window, or the end of the window, where a slot is moved down.
  Tick NextExpiry() const {
    if (pending_ == 0) return kNoExpiry;
    return tick_ + Empty();
  }
  void Settle() {}
  std::size_t Bytes() const { return pool_.Bytes() + sizeof(*this); }
  std::size_t IndexOf(Handle handle) const { return pool_.IndexOf(handle); }

 private:
  static constexpr std::uint32_t kBits = 8;
  static constexpr std::uint32_t kSlots = 1 << kBits;
  static constexpr std::uint32_t kMask = kSlots - 1;
  static constexpr std::uint32_t kLevels = 4;
  static constexpr std::uint32_t kNotLowest = kSlots;

  void File(Node* node, Tick deadline) {
    node->deadline = deadline;
    const Tick due = std::max(deadline, tick_);
    const Tick distance = due - tick_;
    node->slot = kNotLowest;
    if (distance < kSlots) {
      node->slot = due & kMask;
      occupied_.Set(node->slot);
      levels_[0][node->slot].PushBack(node);
    } else if (distance < 1U << 16) {
      levels_[1][due >> 8 & kMask].PushBack(node);
    } else if (distance < 1U << 24) {
      levels_[2][due >> 16 & kMask].PushBack(node);
    } else {
      levels_[3][due >> 24].PushBack(node);
    }
  }
  void Unlink(Node* node) {
    node->Unlink();
    if (node->slot != kNotLowest && levels_[0][node->slot].Empty()) occupied_.Reset(node->slot);
  }

  // The number of ticks from tick_ on that need no work.
  Tick Empty() const {
    const std::uint32_t index = tick_ & kMask;
    return index == 0 ? 0 : std::min(occupied_.DistanceFrom(index), kSlots - index);
  }

  // Each level hands its current slot down. If that was its first slot, the next higher level does the same.
  void CascadeAll() {
    for (std::uint32_t level = 1; level < kLevels; ++level) {
      const std::uint32_t slot = tick_ >> (level * kBits) & kMask;
      List moved;
      moved.Splice(levels_[level][slot]);
      while (!moved.Empty()) {
        Node* node = static_cast<Node*>(moved.front());
        node->Unlink();
        File(node, node->deadline);
      }
      if (slot != 0) return;
    }
  }

  template <class F>
  void Run(std::uint32_t index, F&& expired) {
    List due;
    due.Splice(levels_[0][index]);
    occupied_.Reset(index);
    while (!due.Empty()) {
      Node* node = static_cast<Node*>(due.front());
      node->Unlink();
      pool_.Give(node);
      --pending_;
      expired(node);
    }
  }

  Pool<Node> pool_;
  Tick tick_ = 1;  // the next one to process
  std::size_t pending_ = 0;
  SlotBitmap<kSlots> occupied_;
  std::array<std::array<List, kSlots>, kLevels> levels_;
};

static_assert(Design<FollyWheel>);

}  // namespace timeout_wheel::bench
