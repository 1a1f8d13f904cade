// Nodes from one growing region, the most recently freed first: no design pays for malloc per timer, and a node that is
// used again at once is still in the cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

#include "arena.h"

namespace timeout_wheel::bench {

template <class Node>
class Pool {
  static_assert(std::is_trivially_destructible_v<Node> && sizeof(Node) >= sizeof(void*));

 public:
  /// `capacity` timers are expected. Designs that let cancelled nodes lie for a while take more.
  explicit Pool(std::size_t capacity)
      : limit_(std::max<std::size_t>(4 * capacity, 1 << 16)), arena_(limit_ * sizeof(Node)) {}

  Node* Take() {
    if (free_ == nullptr) {
      if (used_ == limit_) throw std::bad_alloc();
      return first() + used_++;
    }
    Node* node = free_;
    std::memcpy(&free_, static_cast<void*>(node), sizeof free_);
    return node;
  }
  void Give(Node* node) {
    std::memcpy(static_cast<void*>(node), &free_, sizeof free_);
    free_ = node;
  }

  std::size_t IndexOf(const Node* node) const { return static_cast<std::size_t>(node - first()); }
  Node* At(std::size_t index) const { return first() + index; }
  std::size_t Bytes() const { return arena_.Resident(); }

 private:
  Node* first() const { return static_cast<Node*>(arena_.address()); }

  std::size_t limit_;
  Arena arena_;
  std::size_t used_ = 0;
  Node* free_ = nullptr;
};

}  // namespace timeout_wheel::bench
