// Wakes the wheels of one environment from its event loop. One alarm wakes it for the earliest due time of all wheels.
// One uv_prepare runs before the loop sleeps, and carries out what JavaScript has queued.
//
//   one turn of the loop:   prepare                  poll                     check
//                           Prepare()                sleeps until I/O         immediates
//                           queues are applied,      or the alarm: Ring()
//                           the alarm is set         runs what is due
//
// The driver looks only at wheels with pending timers, so an idle wheel costs a turn nothing. Without pending timers
// the prepare handle is stopped. It keeps the loop alive while a timer has a reference. A wheel is held at once, but
// let go only before the loop sleeps, or after its callbacks. So a program can set and clear one timer after the other
// without a change of the hold.
#pragma once

#include <node_api.h>

#include <cstdint>

#include "../core/timer_wheel.h"
#include "alarm.h"
#include "libuv.h"

namespace timeout_wheel {

class LoopDriver;

/// A wheel as the driver sees it. While it is held, and only then, it is in the driver's list of held wheels.
class DrivenWheel {
 public:
  DrivenWheel(void* memory, std::uint32_t blocks, double ticks_per_ms) : core_(memory, blocks, ticks_per_ms) {}
  DrivenWheel(const DrivenWheel&) = delete;
  DrivenWheel& operator=(const DrivenWheel&) = delete;

 protected:
  enum class Outcome {
    kDone,
    kMore,      // due timers are left for the next turn
    kShutdown,  // the environment runs no JavaScript any more
  };

  ~DrivenWheel() = default;

  TimerWheel& core() { return core_; }
  const TimerWheel& core() const { return core_; }
  std::uint32_t& control(ControlWord word) const { return core_.store().memory().word(word); }

  /// Keeps the wheel from garbage collection until Release.
  virtual void Retain() = 0;
  virtual void Release() = 0;
  /// Runs the expirations. Callbacks may set timers, create and close wheels, and end the environment.
  /// @param started the present time
  virtual Outcome Dispatch(double started) = 0;

 private:
  friend class LoopDriver;

  // kHeld of a wheel without pending timers.
  static constexpr std::uint32_t kIdle = 0;

  /// How the wheel should be held, by the counts of its timers.
  std::uint32_t WantedHold() const;
  /// Applies the queue, and returns when the wheel is needed next, in milliseconds of the driver's clock.
  double EndTurn(const LoopDriver& driver);
  /// Begins a pass. Returns whether timers are due.
  bool Expire(double now) { return core_.Expire(now) != 0 || control(kUnfinished) != 0; }

  TimerWheel core_;
  // Neighbours in the driver's list of held wheels.
  DrivenWheel* next_ = nullptr;
  DrivenWheel* previous_ = nullptr;
  std::uint32_t held_ = kIdle;
  // Due timers are left for the next turns. Also while the wheel is idle because all were cleared: JavaScript has not
  // come to the end of the expirations, so no other pass may begin. Of a closed wheel, nobody reads it.
  bool more_ = false;
};

/// One per environment. The environment, its handles and its wheels share it, because any of them may end first.
class LoopDriver {
 public:
  /// Returns null if the environment has no event loop. The caller is the first to share the driver.
  static LoopDriver* Open(napi_env env);

  LoopDriver(const LoopDriver&) = delete;
  LoopDriver& operator=(const LoopDriver&) = delete;

  void Share() { ++shares_; }
  void Unshare();

  /// The clock of all wheels: milliseconds since the driver was opened, with their fraction.
  double Now() const;

  /// Holds a wheel as the counts of its timers need, but never less than before. O(1).
  void Hold(DrivenWheel& wheel);
  /// Holds a wheel as the counts of its timers need, which can be less than before. O(1).
  void Settle(DrivenWheel& wheel) { SetHeld(wheel, wheel.WantedHold()); }
  /// Ends the hold, if there is one. O(1).
  void LetGo(DrivenWheel& wheel) { SetHeld(wheel, DrivenWheel::kIdle); }
  /// The same for a wheel that is being destroyed, without releasing it. O(1).
  void Forget(DrivenWheel& wheel);

 private:
  explicit LoopDriver(napi_env env) : env_(env), alarm_(OnAlarm, this) {}
  ~LoopDriver();

  bool Start();
  static void OnCleanup(napi_async_cleanup_hook_handle hook, void* driver);
  static void OnClosed(LoopDriver* driver);
  static void OnPrepare(uv_prepare_s* handle);
  static void OnAlarm(void* driver);

  void Prepare();
  void Ring();
  std::uint64_t HrtimeOf(double ms) const;
  void SetHeld(DrivenWheel& wheel, std::uint32_t held);
  void Link(DrivenWheel& wheel);
  void Unlink(DrivenWheel& wheel);

  napi_env env_;
  uv_loop_s* loop_ = nullptr;
  uv_prepare_s* prepare_ = nullptr;
  Alarm alarm_;
  napi_async_cleanup_hook_handle hook_ = nullptr;
  // The time for which the alarm is set.
  double awaited_ = TimerWheel::kNever;
  // A whole millisecond of uv_hrtime, in nanoseconds.
  std::uint64_t origin_ = 0;

  DrivenWheel* first_ = nullptr;
  // The next wheel of Ring. A callback may take any wheel out of the list.
  DrivenWheel* cursor_ = nullptr;
  // The number of wheels that keep the loop alive.
  std::uint32_t keeping_ = 0;
  std::uint32_t shares_ = 1;
  std::uint32_t open_handles_ = 0;
  bool closed_ = false;
};

}  // namespace timeout_wheel
