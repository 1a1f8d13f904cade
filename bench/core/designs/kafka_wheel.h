// The hierarchy of Kafka: 20 slots a level, overflow levels that are made on demand, and a delay queue (a binary heap)
// of the occupied slots, so that no empty tick is run. A slot that is taken from the queue hands its timers to the
// level below. It is not first in, first out: slots of the same time leave the queue in any order, and so do timers of
// one tick that came through different levels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "../design.h"
#include "list.h"
#include "pool.h"

namespace timeout_wheel::bench {

struct KafkaNode : Link {
  Tick deadline;
  std::uint32_t padding;
};

class KafkaWheel : public Filing<KafkaWheel, KafkaNode> {
  using Node = KafkaNode;
  friend Filing;

 public:
  static constexpr Traits kTraits{.name = "kafka", .fifo = false};

  explicit KafkaWheel(std::size_t capacity) : Filing(capacity) { AddLevel(1); }

  template <class F>
  void Advance(Tick now, F&& expired) {
    Run(expired);
    while (!queue_.empty() && queue_.front()->start <= now) {
      std::pop_heap(queue_.begin(), queue_.end(), Later);
      Slot& slot = *queue_.back();
      queue_.pop_back();
      AdvanceClock(static_cast<Tick>(slot.start));
      Flush(slot);
      Run(expired);
    }
  }

  Tick NextExpiry() const {
    if (!due_.Empty()) return clock_ + 1;
    return queue_.empty() ? kNoExpiry : static_cast<Tick>(queue_.front()->start);
  }
  std::size_t Bytes() const {
    return pool_.Bytes() + levels_.size() * sizeof(Level) + queue_.capacity() * sizeof(Slot*) + sizeof(*this);
  }

 private:
  static constexpr std::uint32_t kSlots = 20;
  static constexpr std::uint64_t kNotQueued = ~std::uint64_t{0};

  struct Slot {
    List timers;
    std::uint64_t start = kNotQueued;
  };
  struct Level {
    std::uint64_t span;   // ticks of a slot
    std::uint64_t clock;  // rounded down to a multiple of it
    std::array<Slot, kSlots> slots;
  };

  static bool Later(const Slot* a, const Slot* b) { return a->start > b->start; }

  void AddLevel(std::uint64_t span) {
    levels_.push_back(std::make_unique<Level>());
    levels_.back()->span = span;
    levels_.back()->clock = clock_ - clock_ % span;
  }

  void File(Node* node, Tick deadline) {
    node->deadline = deadline;
    if (node->deadline < levels_[0]->clock + 1) return due_.PushBack(node);
    for (std::size_t i = 0;; ++i) {
      if (i == levels_.size()) AddLevel(levels_.back()->span * kSlots);
      Level& level = *levels_[i];
      if (node->deadline < level.clock + level.span * kSlots) return Put(level, node);
    }
  }
  void Unlink(Node* node) { node->Unlink(); }
  void Put(Level& level, Node* node) {
    const std::uint64_t number = node->deadline / level.span;
    Slot& slot = level.slots[number % kSlots];
    slot.timers.PushBack(node);
    if (slot.start == number * level.span) return;
    slot.start = number * level.span;
    queue_.push_back(&slot);
    std::push_heap(queue_.begin(), queue_.end(), Later);
  }

  void AdvanceClock(Tick tick) {
    clock_ = tick;
    for (auto& level : levels_) {
      if (tick < level->clock + level->span) return;
      level->clock = tick - tick % level->span;
    }
  }

  // A timer that is due moves to the list of timers to run.
  void Flush(Slot& slot) {
    List timers;
    timers.Splice(slot.timers);
    slot.start = kNotQueued;
    while (!timers.Empty()) {
      Node* node = static_cast<Node*>(timers.front());
      node->Unlink();
      File(node, node->deadline);
    }
  }
  template <class F>
  void Run(F&& expired) {
    while (!due_.Empty()) {
      Node* node = static_cast<Node*>(due_.front());
      Cancel(node);
      expired(node);
    }
  }

  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<Slot*> queue_;
  List due_;
  Tick clock_ = 0;
};

static_assert(Design<KafkaWheel>);

}  // namespace timeout_wheel::bench
