// Nodes from one growing region. The node that was freed last is used first, while it is still in the cache. No design
// calls malloc for each timer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

#include "../design.h"
#include "arena.h"

namespace timeout_wheel::bench {

template <class Node>
class Pool {
  static_assert(std::is_trivially_destructible_v<Node> && sizeof(Node) >= sizeof(void*));

 public:
  /// `capacity` is the expected number of timers. Designs that keep cancelled nodes for a while need more.
  explicit Pool(std::size_t capacity)
      : limit_(std::max<std::size_t>(4 * capacity, 1 << 16)), arena_(limit_ * sizeof(Node)) {}

  Node* Take() {
    if (free_ == nullptr) {
      if (used_ == limit_) throw std::bad_alloc();
      return At(used_++);
    }
    Node* node = free_;
    std::memcpy(&free_, static_cast<void*>(node), sizeof free_);
    return node;
  }
  void Give(Node* node) {
    std::memcpy(static_cast<void*>(node), &free_, sizeof free_);
    free_ = node;
  }

  Node* At(std::size_t index) const { return static_cast<Node*>(arena_.address()) + index; }
  std::size_t IndexOf(const Node* node) const { return static_cast<std::size_t>(node - At(0)); }
  std::size_t Bytes() const { return arena_.Resident(); }

 private:
  std::size_t limit_;
  Arena arena_;
  std::size_t used_ = 0;
  Node* free_ = nullptr;
};

/// The operations of a design that files each node at once. `Self` has `File(node, deadline)` and `Unlink(node)`.
template <class Self, class Node>
class Filing {
 public:
  using Handle = Node*;

  explicit Filing(std::size_t capacity) : pool_(capacity) {}

  Handle Schedule(Tick deadline) {
    Node* node = pool_.Take();
    self().File(node, deadline);
    return node;
  }
  void Cancel(Handle handle) {
    self().Unlink(handle);
    pool_.Give(handle);
  }
  Handle Reschedule(Handle handle, Tick deadline) {
    self().Unlink(handle);
    self().File(handle, deadline);
    return handle;
  }
  void Settle() {}

 protected:
  Pool<Node> pool_;

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

}  // namespace timeout_wheel::bench
