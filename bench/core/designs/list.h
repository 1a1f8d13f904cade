// Intrusive doubly linked lists, first in, first out.
#pragma once

namespace timeout_wheel::bench {

struct Link {
  Link* next;
  Link* prev;

  void Unlink() {
    prev->next = next;
    next->prev = prev;
  }
};

class List {
 public:
  List() { Clear(); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  bool Empty() const { return head_.next == &head_; }
  Link* front() const { return head_.next; }
  const Link* end() const { return &head_; }

  void PushBack(Link* link) {
    link->next = &head_;
    link->prev = head_.prev;
    head_.prev->next = link;
    head_.prev = link;
  }
  /// Moves all of `other` to the end of this list.
  void Splice(List& other) {
    if (other.Empty()) return;
    head_.prev->next = other.head_.next;
    other.head_.next->prev = head_.prev;
    head_.prev = other.head_.prev;
    other.head_.prev->next = &head_;
    other.Clear();
  }

 private:
  void Clear() { head_.next = head_.prev = &head_; }

  Link head_;
};

}  // namespace timeout_wheel::bench
