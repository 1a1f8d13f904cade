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

/// `Node` is derived from Link.
template <class Node>
class List {
 public:
  List() = default;
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
  /// Takes out the first node and passes it to `taken`, until no node is left.
  template <class F>
  void Drain(F&& taken) {
    while (!Empty()) {
      Node* node = static_cast<Node*>(front());
      node->Unlink();
      taken(node);
    }
  }

 private:
  Link head_{&head_, &head_};
};

}  // namespace timeout_wheel::bench
