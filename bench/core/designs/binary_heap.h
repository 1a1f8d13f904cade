// A binary heap of linked nodes, as in libuv. The tree is always complete, and the bits of the count are the path to
// its last node. The number of the operation decides between equal deadlines.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "../design.h"
#include "pool.h"

namespace timeout_wheel::bench {

class BinaryHeap {
  struct Node {
    Node* parent;
    Node* children[2];
    Tick deadline;
    std::uint32_t order;
  };

 public:
  using Handle = Node*;
  static constexpr Traits kTraits{.name = "heap", .title = "binary heap (as libuv's)"};

  explicit BinaryHeap(std::size_t capacity) : pool_(capacity) {}

  Handle Schedule(Tick deadline) {
    Node* node = pool_.Take();
    Insert(node, deadline);
    return node;
  }
  void Cancel(Handle handle) {
    Remove(handle);
    pool_.Give(handle);
  }
  Handle Reschedule(Handle handle, Tick deadline) {
    Remove(handle);
    Insert(handle, deadline);
    return handle;
  }

  template <class F>
  void Advance(Tick now, F&& expired) {
    while (root_ != nullptr && root_->deadline <= now) {
      Node* node = root_;
      Cancel(node);
      expired(node);
    }
  }

  Tick NextExpiry() const { return root_ == nullptr ? kNoExpiry : root_->deadline; }
  void Settle() {}
  std::size_t Bytes() const { return pool_.Bytes() + sizeof(*this); }
  std::size_t IndexOf(Handle handle) const { return pool_.IndexOf(handle); }

 private:
  static bool Less(const Node* a, const Node* b) {
    return a->deadline != b->deadline ? a->deadline < b->deadline : a->order < b->order;
  }

  // The n-th node, counted from 1 by rows. The bits below the highest are the path to it: 0 left, 1 right.
  Node* Find(std::uint32_t n) const {
    Node* node = root_;
    for (int bit = std::bit_width(n) - 2; bit >= 0; --bit) node = node->children[n >> bit & 1];
    return node;
  }

  // The pointer that points to the node.
  Node*& LinkTo(Node* node) {
    if (node->parent == nullptr) return root_;
    return node->parent->children[node->parent->children[1] == node ? 1 : 0];
  }
  static void Adopt(Node* parent) {
    for (Node* child : parent->children) {
      if (child != nullptr) child->parent = parent;
    }
  }

  void Insert(Node* node, Tick deadline) {
    ++count_;
    Node* parent = count_ == 1 ? nullptr : Find(count_ / 2);
    *node = {parent, {nullptr, nullptr}, deadline, order_++};
    (parent == nullptr ? root_ : parent->children[count_ & 1]) = node;
    SiftUp(node);
  }
  void Remove(Node* node) {
    Node* last = Find(count_--);
    LinkTo(last) = nullptr;
    if (last == node) return;
    LinkTo(node) = last;
    last->parent = node->parent;
    last->children[0] = node->children[0];
    last->children[1] = node->children[1];
    Adopt(last);
    SiftDown(last);
    SiftUp(last);
  }

  void SiftUp(Node* node) {
    while (node->parent != nullptr && Less(node, node->parent)) SwapWithParent(node);
  }
  void SiftDown(Node* node) {
    for (;;) {
      Node* least = node;
      for (Node* child : node->children) {
        if (child != nullptr && Less(child, least)) least = child;
      }
      if (least == node) return;
      SwapWithParent(least);
    }
  }
  void SwapWithParent(Node* child) {
    Node* parent = child->parent;
    LinkTo(parent) = child;
    const int side = parent->children[1] == child ? 1 : 0;
    Node* sibling = parent->children[1 - side];
    child->parent = parent->parent;
    std::swap(parent->children[0], child->children[0]);
    std::swap(parent->children[1], child->children[1]);
    child->children[side] = parent;
    child->children[1 - side] = sibling;
    Adopt(child);
    Adopt(parent);
  }

  Pool<Node> pool_;
  Node* root_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t order_ = 0;
};

static_assert(Design<BinaryHeap>);

}  // namespace timeout_wheel::bench
