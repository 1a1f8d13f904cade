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
};

class KafkaWheel : public Filing<KafkaWheel, KafkaNode> {
  friend Filing;

 public:
  static constexpr Traits kTraits{.name = "kafka", .fifo = false};

  explicit KafkaWheel(std::size_t capacity) : Filing(capacity) { AddLevel(1); }

  template <class F>
  void Advance(Tick now, F&& expired) {
    const auto run = [&](KafkaNode* node) {
      pool_.Give(node);
      expired(node);
    };
    due_.Drain(run);
    while (!queue_.empty() && queue_.front()->start <= now) {
      std::pop_heap(queue_.begin(), queue_.end(), Later);
      Slot& slot = *queue_.back();
      queue_.pop_back();
      AdvanceClock(static_cast<Tick>(slot.start));
      slot.start = kNotQueued;
      // A timer that is due moves to the list of timers to run, the others to lower levels.
      slot.timers.Drain([this](KafkaNode* node) { File(node, node->deadline); });
      due_.Drain(run);
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
    List<KafkaNode> timers;
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

  void File(KafkaNode* node, Tick deadline) {
    node->deadline = deadline;
    if (node->deadline < levels_[0]->clock + 1) return due_.PushBack(node);
    for (std::size_t i = 0;; ++i) {
      if (i == levels_.size()) AddLevel(levels_.back()->span * kSlots);
      Level& level = *levels_[i];
      if (node->deadline < level.clock + level.span * kSlots) return Put(level, node);
    }
  }
  void Unlink(KafkaNode* node) { node->Unlink(); }
  void Put(Level& level, KafkaNode* node) {
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

  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<Slot*> queue_;
  List<KafkaNode> due_;
  Tick clock_ = 0;
};

}  // namespace timeout_wheel::bench
