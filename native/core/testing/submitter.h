// A client of the wheel in C++, for tests and benchmarks: takes records, writes deadlines, submits records that need an
// entry. lib/node/scheduler and lib/page do the same in JavaScript. This client serves up to 2^32 operations, because
// it does not renumber them as JavaScript does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../layout.h"
#include "../memory.h"
#include "../record.h"
#include "../timer_wheel.h"

namespace timeout_wheel {

class Submitter {
 public:
  static constexpr Unit kFull = 0;

  Submitter(TimerWheel& wheel, std::uint32_t blocks) : wheel_(wheel), capacity_(blocks * kRecordsPerBlock) {}

  /// Call this after the memory and the wheel were extended to `blocks` blocks.
  void Extend(std::uint32_t blocks) { capacity_ = blocks * kRecordsPerBlock; }
  bool full() const { return free_.empty() && used_ == capacity_; }

  /// Schedules a timer in the most recently freed record, and returns its unit. The deadline must be less than
  /// 2^31 - 3 ticks after the wheel's tick. Returns kFull if no record is free: extend the memory first. O(1).
  Unit Schedule(Tick deadline) {
    if (free_.empty()) return ScheduleFresh(deadline);
    const Unit unit = free_.back();
    free_.pop_back();
    SetDeadline(unit, deadline);
    return unit;
  }

  /// Gives a scheduled record a new deadline and the last position in the order. O(1).
  void Reschedule(Unit unit, Tick deadline) { SetDeadline(unit, deadline); }

  /// Cancels a scheduled record, or frees one that has expired. Its entry, if any, is dropped later. O(1).
  void Cancel(Unit unit) {
    record(unit).deadline = kNever;
    free_.push_back(unit);
  }

  std::uint32_t used() const { return used_; }
  /// Bytes used in addition to the wheel's memory.
  std::size_t bytes() const { return free_.capacity() * sizeof(Unit); }  // Unreached: only benchmarks need it.

 private:
  Record& record(Unit unit) const { return wheel_.store().memory().record(unit); }

  // A record that was never used has no entry.
  Unit ScheduleFresh(Tick deadline) {
    if (used_ == capacity_) return kFull;
    const Unit unit = UnitOfRecord(used_++);
    wheel_.store().memory().word(kUsed) = used_;
    Record& fresh = record(unit);
    fresh.deadline = ValidTick(deadline);
    fresh.order = wheel_.store().memory().word(kOrder)++;
    Submit(unit, fresh);
    return unit;
  }

  void SetDeadline(Unit unit, Tick deadline) {
    const Memory& memory = wheel_.store().memory();
    Record& timer = record(unit);
    deadline = ValidTick(deadline);
    timer.deadline = deadline;
    timer.order = memory.word(kOrder)++;
    const bool has_entry =
        timer.filed != kNone && Before(timer.filed, deadline) && !Before(deadline, memory.word(kWake));
    if (!has_entry && timer.filed != kQueued) Submit(unit, timer);
  }

  void Submit(Unit unit, Record& submission) {
    const Memory& memory = wheel_.store().memory();
    submission.filed = kQueued;
    std::uint32_t& submitted = memory.word(kSubmitted);
    memory.submission(submitted++) = unit;
    if (submitted == kSubmissionsCapacity) wheel_.TakeSubmissions();
  }

  TimerWheel& wheel_;
  std::uint32_t capacity_;
  std::uint32_t used_ = 0;
  // A separate stack. A list through the records would be one cache miss after the other.
  std::vector<Unit> free_;
};

}  // namespace timeout_wheel
