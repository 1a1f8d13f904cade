// A heap of the given arity in an array, ordered by `key`. `Placed` is called with the position of each entry.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace timeout_wheel::bench {

template <std::size_t kArity, class Entry>
class ArrayHeap {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  const Entry& front() const { return entries_.front(); }
  std::vector<Entry>& entries() { return entries_; }
  std::size_t Bytes() const { return entries_.capacity() * sizeof(Entry); }

  template <class Placed>
  void Push(Entry entry, Placed&& placed) {
    entries_.push_back(entry);
    SiftUp(entries_.size() - 1, placed);
  }
  template <class Placed>
  void Remove(std::size_t at, Placed&& placed) {
    const Entry last = entries_.back();
    entries_.pop_back();
    if (at == entries_.size()) return;
    Replace(at, last, placed);
  }
  /// Replaces an entry by another one, or by the same one with another key.
  template <class Placed>
  void Replace(std::size_t at, Entry entry, Placed&& placed) {
    entries_[at] = entry;
    if (at != 0 && entry.key < entries_[(at - 1) / kArity].key) {
      SiftUp(at, placed);
    } else {
      SiftDown(at, placed);
    }
  }
  /// Restores the order of all entries. O(n).
  template <class Placed>
  void Heapify(Placed&& placed) {
    if (entries_.size() < 2) return;
    for (std::size_t at = (entries_.size() - 2) / kArity + 1; at-- != 0;) SiftDown(at, placed);
  }

 private:
  template <class Placed>
  void SiftUp(std::size_t at, Placed&& placed) {
    const Entry entry = entries_[at];
    while (at != 0) {
      const std::size_t parent = (at - 1) / kArity;
      if (!(entry.key < entries_[parent].key)) break;
      Place(at, entries_[parent], placed);
      at = parent;
    }
    Place(at, entry, placed);
  }
  template <class Placed>
  void SiftDown(std::size_t at, Placed&& placed) {
    const Entry entry = entries_[at];
    for (;;) {
      const std::size_t first = at * kArity + 1;
      if (first >= entries_.size()) break;
      std::size_t least = first;
      const std::size_t end = std::min(first + kArity, entries_.size());
      for (std::size_t child = first + 1; child < end; ++child) {
        if (entries_[child].key < entries_[least].key) least = child;
      }
      if (!(entries_[least].key < entry.key)) break;
      Place(at, entries_[least], placed);
      at = least;
    }
    Place(at, entry, placed);
  }
  template <class Placed>
  void Place(std::size_t at, Entry entry, Placed&& placed) {
    entries_[at] = entry;
    placed(entry, at);
  }

  std::vector<Entry> entries_;
};

}  // namespace timeout_wheel::bench
