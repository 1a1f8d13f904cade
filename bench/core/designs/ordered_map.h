// std::multiset: a red-black tree by deadline. Its nodes come from a pool, as in all designs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "../design.h"
#include "pool.h"

namespace timeout_wheel::bench {

class OrderedMap {
  struct Cell {
    alignas(8) std::byte bytes[40];
  };

  template <class T>
  struct Allocator {
    using value_type = T;

    explicit Allocator(Pool<Cell>& cells) : pool(&cells) {}
    template <class U>
    Allocator(const Allocator<U>& other) : pool(other.pool) {}

    T* allocate(std::size_t) {
      static_assert(sizeof(T) <= sizeof(Cell) && alignof(T) <= alignof(Cell));
      return reinterpret_cast<T*>(pool->Take());
    }
    void deallocate(T* node, std::size_t) { pool->Give(reinterpret_cast<Cell*>(node)); }
    template <class U>
    bool operator==(const Allocator<U>& other) const {
      return pool == other.pool;
    }

    Pool<Cell>* pool;
  };
  using Tree = std::multiset<Tick, std::less<>, Allocator<Tick>>;

 public:
  struct Handle {
    Tree::iterator timer;
    std::size_t index;
  };
  static constexpr Traits kTraits{.name = "map", .title = "ordered map (std::multiset)"};

  explicit OrderedMap(std::size_t capacity) : pool_(capacity), tree_(std::less<>(), Allocator<Tick>(pool_)) {}

  Handle Schedule(Tick deadline) { return HandleOf(tree_.insert(deadline)); }
  void Cancel(const Handle& handle) { tree_.erase(handle.timer); }
  Handle Reschedule(const Handle& handle, Tick deadline) {
    auto node = tree_.extract(handle.timer);
    node.value() = deadline;
    return {tree_.insert(std::move(node)), handle.index};
  }

  template <class F>
  void Advance(Tick now, F&& expired) {
    while (!tree_.empty() && *tree_.begin() <= now) {
      const Handle handle = HandleOf(tree_.begin());
      tree_.erase(handle.timer);
      expired(handle);
    }
  }

  Tick NextExpiry() const { return tree_.empty() ? kNoExpiry : *tree_.begin(); }
  void Settle() {}
  std::size_t Bytes() const { return pool_.Bytes() + sizeof(*this); }
  std::size_t IndexOf(const Handle& handle) const { return handle.index; }

 private:
  Handle HandleOf(Tree::iterator timer) const {
    const auto offset = reinterpret_cast<const std::byte*>(&*timer) - reinterpret_cast<const std::byte*>(pool_.At(0));
    return {timer, static_cast<std::size_t>(offset) / sizeof(Cell)};
  }

  Pool<Cell> pool_;
  Tree tree_;
};

static_assert(Design<OrderedMap>);

}  // namespace timeout_wheel::bench
