// A wheel beside a sorted list. Every operation goes to both. After each step the two must agree on which timers ran,
// in which order, and that no due timer is left. The invariants are checked too.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "clock.h"
#include "harness.h"
#include "sorted_list.h"

namespace timeout_wheel {

class CheckedWheel {
 public:
  /// How often the invariants are checked: after one in `one_in` of the usual steps.
  struct Sampling {
    std::uint32_t one_in = 1;
    std::uint32_t large_one_in = 1;  // a further factor for a wheel that is not small
  };
  /// Up to this number of records and entries a wheel is small, and is checked after every step.
  static constexpr std::uint32_t kSmall = 256;

  /// The program, which decides what callbacks do.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// A timer has run. Its record is free.
    virtual void Expired() = 0;
    /// An Advance stopped before its target, or the wheel was interrupted. Other work may run now.
    virtual void Paused() = 0;
    /// How many of `count` expired timers are dispatched before the wheel is interrupted; `count`: it is not.
    virtual std::uint32_t Dispatched(std::uint32_t count) = 0;
  };

  /// An epoch lasts at most this many ticks, so its timers move by at most as many.
  static constexpr WideTick kLongestEpoch = 0x10000;
  /// A deadline must lie less than 2^31 - 3 ticks after the wheel's tick, even after its epoch has moved it.
  static constexpr WideTick kFarthest = 0x7ffffff0 - 2 * kLongestEpoch;
  static constexpr std::uint32_t kMaxBlocks = 4;

  /// The wheel's first tick is the tick of `start`. `interrupted`: the wheel may be interrupted. Then no deadline lies
  /// before its tick, because a repair does not know when such a timer was set.
  CheckedWheel(Eighths start, Listener& listener, const Sampling& sampling, bool interrupted);

  const Clock& clock() const { return clock_; }
  const SortedList& list() const { return list_; }
  /// The wheel's tick, on the scale that does not wrap.
  WideTick tick() const { return tick_; }
  bool full() { return harness_.submitter().full() && harness_.blocks() == kMaxBlocks; }
  std::uint64_t operations() const { return operations_; }
  /// Ticks from now to the farthest allowed deadline.
  WideTick LongestDelay() const {
    return (interruptible_ ? timeout_wheel::kFarthest : kFarthest) - (TickFrom(clock_.now()) - tick_);
  }

  /// Lets time pass. Timers run only in `Run`, which must be called within 2^31 ticks.
  void Pass(Eighths time);

  /// The unit by which `Set` schedules a new timer.
  static constexpr Unit kNew = 0;
  /// Schedules a timer, or reschedules that of `unit`. The delay counts from the last reading of the clock. If
  /// `adjusted` is false, the close of the epoch does not move the deadline.
  void Set(Unit unit, Eighths delay, bool adjusted);
  /// The same with a deadline `by` ticks before the wheel's tick.
  void SetOverdue(Unit unit, WideTick by);
  void Cancel(Unit unit);
  void TakeSubmissions();
  /// Opens an epoch first.
  bool IsTickDue();
  void OpenEpoch();
  void CloseEpoch();
  /// Moves the memory, and adds blocks.
  void Grow(std::uint32_t more);

  /// Leaves the wheel as an interrupted call may leave it. The next call repairs it.
  void Interrupt();

  /// Runs all timers that are due by the clock.
  void Run();
  /// The wheel's next wake-up. A timer must be pending.
  WideTick Wake();

 private:
  /// One operation of the open epoch.
  struct Note {
    Unit unit = 0;  // 0: no operation, or one that is not adjusted
    std::uint64_t operation = 0;
    Eighths delay = 0;
  };

  void Start(WideTick tick);
  void Step();
  void NoteRepair();
  void CheckExpirations(std::uint32_t count);
  void Expired(Unit unit);
  void ReadClock();
  Tick DeadlineOf(Eighths delay) const;
  void WriteNote(Unit unit, std::uint32_t place, Eighths delay, bool adjusted) const;
  void SetIn(Eighths delay, Unit unit, bool adjusted);
  void Put(Unit unit, Eighths delay, std::uint32_t place, bool adjusted);
  void CloseNotes();

  Harness harness_;
  SortedList list_;
  // The earliest time at which each pending timer may run, if it is known.
  std::unordered_map<Unit, Eighths> due_;
  Clock clock_;
  Listener& listener_;
  WideTick tick_ = 0;
  WideTick target_ = 0;  // of the current run
  bool running_ = false;
  bool overdue_ = false;                  // a deadline was set before the wheel's tick during this run
  std::unordered_set<Unit> handed_over_;  // in this run
  bool open_ = false;
  Eighths opened_ = 0;  // the clock, when it was last read
  std::array<Note, kEpochLength> notes_;
  std::uint64_t operations_ = 0;
  std::uint64_t steps_to_check_ = 0;
  Sampling sampling_;
  const bool interruptible_;
  bool interrupted_ = false;  // no call has repaired the wheel yet
};

}  // namespace timeout_wheel
