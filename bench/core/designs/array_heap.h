// A heap of the given arity in an array, ordered by `key`. Each entry is told its position by a call of `MovedTo`.
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

  void Push(Entry entry) {
    entries_.push_back(entry);
    SiftUp(entries_.size() - 1);
  }
  void Remove(std::size_t at) {
    const Entry last = entries_.back();
    entries_.pop_back();
    if (at != entries_.size()) Replace(at, last);
  }
  /// Replaces an entry by another one, or by the same one with another key.
  void Replace(std::size_t at, Entry entry) {
    entries_[at] = entry;
    if (at != 0 && entry.key < entries_[(at - 1) / kArity].key) {
      SiftUp(at);
    } else {
      SiftDown(at);
    }
  }
  /// Restores the order of all entries. O(n).
  void Heapify() {
    for (std::size_t at = (entries_.size() + kArity - 2) / kArity; at-- != 0;) SiftDown(at);
  }

 private:
  void SiftUp(std::size_t at) {
    const Entry entry = entries_[at];
    while (at != 0) {
      const std::size_t parent = (at - 1) / kArity;
      if (!(entry.key < entries_[parent].key)) break;
      Place(at, entries_[parent]);
      at = parent;
    }
    Place(at, entry);
  }
  void SiftDown(std::size_t at) {
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
      Place(at, entries_[least]);
      at = least;
    }
    Place(at, entry);
  }
  void Place(std::size_t at, Entry entry) {
    entries_[at] = entry;
    entry.MovedTo(at);
  }

  std::vector<Entry> entries_;
};

}  // namespace timeout_wheel::bench
