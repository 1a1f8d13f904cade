// A wheel beside a sorted list. Every operation goes to both. After each step the two must agree on which timers ran
// and in which order, that none was early, and that no due timer is left. The invariants are checked too.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness.h"

namespace timeout_wheel {

class CheckedWheel {
 public:
  static constexpr std::uint32_t kMaxBlocks = 4;

  /// The program, which decides what callbacks do.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// A timer has run. Its unit is free.
    virtual void Expired() = 0;
    /// A call stopped at a bound. Other work may run now.
    virtual void Paused() = 0;
  };

  struct Options {
    HarnessOptions wheel;
    /// One step in so many is followed by a check of the invariants, in a wheel with few timers.
    std::uint32_t check_one_in = 1;
  };

  CheckedWheel(const Options& options, Listener& listener);

  double now() const { return harness_.now(); }
  double ticks_per_ms() const { return ticks_per_ms_; }
  std::size_t size() const { return pending_.size(); }
  Unit unit(std::size_t i) const { return pending_[i]; }
  bool full() { return harness_.client().full() && harness_.blocks() == kMaxBlocks; }
  std::uint64_t operations() const { return operations_; }
  /// The due time of the earliest timer whose operation was applied; infinity: none.
  double Earliest() const;

  void Pass(double ms) { harness_.Pass(ms); }
  void Set(double delay);
  void Move(Unit unit, double delay);
  /// Gives a timer a due time, which can have passed.
  void MoveTo(Unit unit, double due);
  void Cancel(Unit unit);
  void Apply();
  /// The end of a turn. Returns the wake-up.
  double EndTurn();
  void Grow(std::uint32_t more);
  /// Leaves the wheel as an interrupted call may leave it. The next call repairs it.
  void Interrupt();
  /// Runs all timers that are due now, or so much earlier, with pauses at the bounds.
  void Run(double lag = 0);

 private:
  using Key = std::pair<Tick, std::uint64_t>;
  struct Timer {
    std::size_t index;
    std::uint64_t operation;
    /// Set when the operation was applied.
    bool applied = false;
    double due = 0;
    Key key{};
    bool is_ordered = true;
  };
  struct Queued {
    Unit unit;
    std::uint64_t operation;
    double time;
    bool is_due_time;
  };

  Tick TickOf(double ms) const {
    return static_cast<Tick>(std::min(ms * ticks_per_ms_, static_cast<double>(kLastTick)));
  }
  void Enqueue(Unit unit, double time, bool is_due_time);
  void Applying();
  void Remove(Unit unit);
  void Expired(Unit unit);
  void Step();

  double ticks_per_ms_;
  Harness harness_;
  Listener& listener_;
  std::uint32_t check_one_in_;
  std::uint64_t steps_to_check_ = 0;
  std::uint64_t operations_ = 1;
  std::vector<Unit> pending_;
  std::unordered_map<Unit, Timer> timers_;
  std::map<Key, Unit> applied_;
  std::vector<Queued> queue_;
  bool repaired_ = false;
  double target_ = 0;
  Key last_{};
};

}  // namespace timeout_wheel
