// A wheel beside the sorted list that it has to agree with. Every operation goes to both; what runs, in which order,
// and that nothing due is left, is compared at once, and the invariants are checked after each step.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "clock.h"
#include "harness.h"
#include "sorted_list.h"
#include "trace.h"

namespace timeout_wheel {

class CheckedWheel {
 public:
  /// How often the invariants are checked: after one in so many of the steps that would be.
  struct Sampling {
    std::uint32_t one_in = 1;
    std::uint32_t large_one_in = 1;  // as well, in a wheel that is not small
  };
  /// Records and entries up to which a wheel is small, and checked after every step.
  static constexpr std::uint32_t kSmall = 256;

  /// What callbacks do.
  class Listener {
   public:
    virtual ~Listener() = default;
    /// A timer has run; its record is free.
    virtual void Expired() = 0;
    /// An Advance stopped before its target: other work gets its turn.
    virtual void Paused() = 0;
  };

  /// An epoch is closed when it has lasted so many ticks: its timers are moved by as many.
  static constexpr WideTick kLongestEpoch = 0x10000;
  /// A deadline must lie less than 2^31 - 3 ticks after the wheel's tick, also after its epoch was closed.
  static constexpr WideTick kFarthest = 0x7ffffff0 - 2 * kLongestEpoch;
  static constexpr std::uint32_t kMaxBlocks = 4;

  /// The wheel's first tick is that of `start`. With `traced`, notes every call.
  CheckedWheel(Eighths start, Listener& listener, const Sampling& sampling, bool traced);

  /// What has been called; null where it was not asked for.
  const Trace* trace() const { return trace_.get(); }

  const Clock& clock() const { return clock_; }
  const SortedList& list() const { return list_; }
  /// The wheel's tick, on the scale that does not wrap.
  WideTick tick() const { return tick_; }
  bool full() { return harness_.submitter().full() && harness_.blocks() == kMaxBlocks; }
  std::uint64_t operations() const { return operations_; }
  /// Ticks from now to the farthest deadline there may be.
  WideTick LongestDelay() const { return kFarthest - (TickFrom(clock_.now()) - tick_); }

  /// Lets time pass. Nothing runs before `Run`, and that must be called within 2^31 ticks.
  void Pass(Eighths time);

  // The delay counts from the last reading of the clock. With `adjusted` false the timer's deadline stays as it is when
  // the epoch is closed.
  void Schedule(Eighths delay, bool adjusted);
  void Reschedule(Unit unit, Eighths delay, bool adjusted);
  // The same with a deadline so many ticks before the wheel's tick.
  void ScheduleOverdue(WideTick by);
  void RescheduleOverdue(Unit unit, WideTick by);
  void Cancel(Unit unit);
  void TakeSubmissions();
  /// Opens an epoch as well.
  bool IsTickDue();
  void OpenEpoch();
  void CloseEpoch();
  /// Moves the memory without growing it.
  void MoveMemory();

  /// Runs all that is due by the clock.
  void Run();
  /// The next wake-up as the wheel tells it. Something must be pending.
  WideTick Wake();

 private:
  /// What the open epoch holds of one operation.
  struct Note {
    Unit unit = 0;  // 0: none, or not to be adjusted
    std::uint64_t operation = 0;
    Eighths delay = 0;
  };

  void Start(WideTick tick);
  void Step();
  void CheckExpirations(std::uint32_t count);
  void Expired(Unit unit);
  void ReadClock();
  void Grow();
  Eighths AfterThisRun(Eighths delay) const;
  Tick DeadlineOf(Eighths delay) const;
  static std::uint32_t FractionOf(Eighths delay);
  void WriteNote(Unit unit, std::uint32_t place, std::uint32_t fraction) const;
  Eighths DelayOfOverdue(WideTick by);
  void ScheduleIn(Eighths delay, bool adjusted);
  void RescheduleIn(Unit unit, Eighths delay, bool adjusted);
  void Put(Unit unit, Eighths delay, std::uint32_t place, bool adjusted);
  void CloseNotes();
  void AnswerEpoch(const Units& touched);
  Units Touched() const;

  Harness harness_;
  SortedList list_;
  // When each pending timer's delay has passed, for all that is known: none may run before.
  std::unordered_map<Unit, Eighths> due_;
  Clock clock_;
  Listener& listener_;
  std::unique_ptr<Trace> trace_;
  WideTick tick_ = 0;
  WideTick target_ = 0;  // of the run under way
  bool running_ = false;
  bool overdue_ = false;                  // something was set to before the wheel's tick during this run
  std::unordered_set<Unit> handed_over_;  // in this run
  bool open_ = false;
  Eighths opened_ = 0;  // the clock, when it was last read
  std::array<Note, kEpochLength> notes_;
  std::uint64_t operations_ = 0;
  std::uint64_t steps_to_check_ = 0;
  Sampling sampling_;
};

}  // namespace timeout_wheel
