// Wakes the wheels of one environment from its event loop. One uv_timer wakes it for the earliest deadline of all
// wheels. An alarm ends the loop's sleep as soon as all timers with that deadline are due. One uv_prepare runs before
// the loop sleeps, and takes what JavaScript has written into the wheels' memory.
//
//   one turn of the loop:   timers      ...   prepare              poll
//                           Expire()          Prepare()            sleeps until I/O
//                           callbacks run     submissions filed,   or the timer
//                                             timer and alarm set
//
// The driver looks only at wheels with pending timers, so an idle wheel costs a turn nothing. Without pending timers
// the prepare handle is stopped.
#pragma once

#include <node_api.h>

#include <cmath>
#include <cstdint>

#include "../core/timer_wheel.h"
#include "libuv.h"
#include "tick_clock.h"
#include "timerfd_alarm.h"

namespace timeout_wheel {

class LoopDriver;

/// A wheel as the driver sees it. While it is held, and only then, it is in the driver's list of held wheels.
class DrivenWheel {
 public:
  DrivenWheel(void* memory, std::uint32_t blocks, std::uint64_t tick_us) : core_(memory, blocks), clock_(tick_us) {}
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
  const TickClock& clock() const { return clock_; }
  std::uint32_t& control(ControlWord word) const { return core_.store().memory().word(word); }
  /// Advances the core to `tick`, which does not wrap.
  std::uint32_t AdvanceTo(double tick) {
    advanced_ = static_cast<std::uint64_t>(tick);
    known_wake_time_ = 0;
    return core_.Advance(static_cast<Tick>(advanced_));
  }

  /// Keeps the wheel from garbage collection until Release.
  virtual void Retain() = 0;
  virtual void Release() = 0;
  /// Runs the due timers. Callbacks may schedule timers, create and close wheels, and end the environment.
  virtual Outcome Dispatch() = 0;
  /// Called after the driver has closed an epoch that several operations may share.
  virtual void EpochClosed() = 0;

 private:
  friend class LoopDriver;

  // kHeld of a wheel without pending timers.
  static constexpr std::uint32_t kIdle = 0;

  bool EpochIsOpen() const { return control(kEpochEnd) != 0; }
  /// Whether the operations of the epoch share one reading of the clock. Otherwise JavaScript reads it for each.
  bool EpochIsShared() const { return !std::isinf(core_.store().memory().real(kLeastSlack)); }
  /// The time at which the wheel needs a call of Dispatch, in nanoseconds of uv_hrtime; LoopDriver::kFar if it needs
  /// none.
  std::uint64_t WakeTime();

  TimerWheel core_;
  TickClock clock_;
  // Neighbours in the driver's list of held wheels.
  DrivenWheel* next_ = nullptr;
  DrivenWheel* previous_ = nullptr;
  std::uint32_t held_ = kIdle;
  // Due timers are left over. They run in the next turns.
  bool more_ = false;
  // The tick up to which the core was advanced, which does not wrap. kWake lies within 2^31 ticks of it.
  std::uint64_t advanced_ = 0;
  // The last kWake and the time that WakeTime found for it. They rarely change from turn to turn.
  Tick known_wake_ = 0;
  std::uint64_t known_wake_time_ = 0;
};

/// One per environment. The environment, its handles and its wheels share it, because any of them may end first.
class LoopDriver {
 public:
  static constexpr std::uint64_t kFar = UINT64_MAX;

  /// Returns null if the environment has no event loop. The caller is the first to share the driver.
  static LoopDriver* Open(napi_env env);

  LoopDriver(const LoopDriver&) = delete;
  LoopDriver& operator=(const LoopDriver&) = delete;

  void Share() { ++shares_; }
  void Unshare();

  /// Holds a wheel. Keeps the loop alive too if `keeps_loop_alive` is set. The counts of
  /// the wheel's timers may be updated afterwards: the hold follows them before the loop sleeps. O(1).
  void Hold(DrivenWheel& wheel, bool keeps_loop_alive);
  /// Ends the hold, if there is one. O(1).
  void LetGo(DrivenWheel& wheel);
  /// The same for a wheel that is being destroyed, without releasing it. O(1).
  void Forget(DrivenWheel& wheel);

 private:
  explicit LoopDriver(napi_env env) : env_(env) {}
  ~LoopDriver();

  bool Start();
  static void OnCleanup(napi_async_cleanup_hook_handle hook, void* driver);
  static void OnClosed(uv_handle_s* handle);
  static void OnPrepare(uv_prepare_s* handle);
  static void OnTimer(uv_timer_s* handle);
  static void OnAlarm(uv_poll_s* handle, int status, int events);

  void Prepare();
  void Expire();
  void DispatchDue(std::uint64_t hrtime);
  void TakeWritten(std::uint64_t& hrtime);
  void StartTimer(std::uint64_t hrtime);
  void SetHeld(DrivenWheel& wheel, std::uint32_t held);
  void Link(DrivenWheel& wheel);
  void Unlink(DrivenWheel& wheel);

  napi_env env_;
  uv_loop_s* loop_ = nullptr;
  // The loop owns the handles from Start until it has closed them. They do not keep it alive at first.
  uv_timer_s* timer_ = nullptr;
  uv_prepare_s* prepare_ = nullptr;
  TimerfdAlarm alarm_{OnAlarm};
  napi_async_cleanup_hook_handle hook_ = nullptr;

  DrivenWheel* first_ = nullptr;
  // The next wheel of Expire. A callback may take any wheel out of the list.
  DrivenWheel* cursor_ = nullptr;
  // The number of wheels that keep the loop alive.
  std::uint32_t keeping_ = 0;
  std::uint32_t shares_ = 1;
  std::uint32_t open_handles_ = 0;
  bool timer_active_ = false;
  std::uint64_t wake_up_ = 0;
  bool closed_ = false;
};

}  // namespace timeout_wheel
