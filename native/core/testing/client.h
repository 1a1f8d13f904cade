// A client of the wheel in C++, for tests and benchmarks: hands out units and appends operations. lib/kernel does the
// same in JavaScript.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "../layout.h"
#include "../memory.h"
#include "../record.h"
#include "../timer_wheel.h"

namespace timeout_wheel {

class Client {
 public:
  static constexpr Unit kFull = 0;
  /// Returns the time, when the queue has to be applied.
  using ReadClock = std::function<double()>;

  Client(TimerWheel& wheel, std::uint32_t blocks, ReadClock read_clock)
      : wheel_(wheel), capacity_(blocks * kRecordsPerBlock - 1), read_clock_(std::move(read_clock)) {}

  /// Call this after the memory and the wheel were extended to `blocks` blocks.
  void Extend(std::uint32_t blocks) { capacity_ = blocks * kRecordsPerBlock - 1; }
  /// So that no operation allocates while at most `timers` are free.
  void Reserve(std::uint32_t timers) { free_.reserve(timers); }  // Unreached: only benchmarks need it.
  bool full() const { return free_.empty() && used_ == capacity_; }
  std::uint32_t used() const { return used_; }
  /// Bytes used in addition to the wheel's memory.
  std::size_t bytes() const { return free_.capacity() * sizeof(Unit); }  // Unreached: only benchmarks need it.
  bool IsLive(Unit unit) const { return (memory().state(unit) & kLiveBit) != 0; }

  /// The unit that Set takes next. The client must not be full.
  Unit next() const { return free_.empty() ? UnitOfRecord(used_) : free_.back(); }

  /// Sets a timer in the most recently freed unit. Returns kFull if no unit is free: extend the memory first. O(1).
  Unit Set(double delay) {
    const Unit unit = TakeUnit();
    if (unit == kFull) return kFull;
    memory().state(unit) += kLiveBit;
    Push(unit, delay);
    return unit;
  }
  /// Gives a live unit a new delay and the last position in the order. O(1).
  void Move(Unit unit, double delay) {
    memory().state(unit) &= ~kExpiredBit;
    Push(unit, delay);
  }
  /// The same with a due time above 0.
  void MoveTo(Unit unit, double due) {
    memory().state(unit) &= ~kExpiredBit;
    Push(unit, -due);
  }
  /// Ends a live unit. Its entry is dropped later. O(1).
  void Cancel(Unit unit) {
    memory().state(unit) = (memory().state(unit) | kExpiredBit) + 1;
    free_.push_back(unit);
  }

  /// Ends the expired units that were not cancelled or moved since, and calls `run` for each, in order.
  template <class Run>
  void Dispatch(Run&& run) {
    for (std::uint32_t i = 0; i < memory().word(kExpired); ++i) {
      const Unit unit = memory().word(kExpirationsWord + i);
      if ((memory().state(unit) & kExpiredBit) == 0) continue;
      Cancel(unit);
      run(unit);
    }
    memory().word(kExpired) = 0;
  }

 private:
  Memory memory() const { return wheel_.store().memory(); }

  Unit TakeUnit() {
    if (!free_.empty()) {
      const Unit unit = free_.back();
      free_.pop_back();
      return unit;
    }
    if (used_ == capacity_) return kFull;
    const Unit unit = UnitOfRecord(used_++);
    memory().word(kUsed) = used_;
    return unit;
  }

  void Push(std::uint32_t unit, double delay) {
    std::uint32_t& queued = memory().word(kQueued);
    memory().word(kQueueUnitsWord + queued) = unit;
    memory().set_real(kQueueDelaysWord + 2 * queued, delay);
    if (++queued >= memory().word(kQueueLimit)) wheel_.Apply(read_clock_());
  }

  TimerWheel& wheel_;
  std::uint32_t capacity_;
  std::uint32_t used_ = 0;
  ReadClock read_clock_;
  // A separate stack. A list through the records would be one cache miss after the other.
  std::vector<Unit> free_;
};

}  // namespace timeout_wheel
