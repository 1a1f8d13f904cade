// Wakes the wheels of one environment from its event loop: one uv_timer for the earliest deadline of all of them, with
// an alarm that ends the loop's sleep as soon as all is due that has this deadline, and one uv_prepare that looks,
// before the loop goes to sleep, what JavaScript has written into their memory since.
//
//   one turn of the loop:   timers      ...   prepare              poll
//                           Expire()          Prepare()            sleeps until I/O or the timer
//                           callbacks run     submissions filed,
//                                             timer and alarm re-armed
//
// Only wheels with timers pending are looked at: an idle wheel costs a turn nothing, and without any the prepare handle
// is stopped.
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

/// A wheel as the driver sees it. It is in the driver's list of held wheels exactly while it is held.
class DrivenWheel {
 public:
  DrivenWheel(void* memory, std::uint32_t blocks, std::uint32_t tick_ms) : core_(memory, blocks), clock_(tick_ms) {}
  DrivenWheel(const DrivenWheel&) = delete;
  DrivenWheel& operator=(const DrivenWheel&) = delete;

 protected:
  enum class Outcome {
    kDone,
    kMore,      // something that is due was left for the next turn
    kShutdown,  // the environment runs no JavaScript any more
  };

  ~DrivenWheel() = default;

  TimerWheel& core() { return core_; }
  const TickClock& clock() const { return clock_; }
  std::uint32_t& control(ControlWord word) const { return core_.store().memory().word(word); }

  /// While retained, the wheel is kept from garbage collection.
  virtual void Retain() = 0;
  virtual void Release() = 0;
  /// Runs what is due. May schedule, close and create wheels, and end the environment.
  virtual Outcome Dispatch() = 0;
  /// The driver has closed the epoch, which several operations may share.
  virtual void EpochClosed() = 0;
  /// Nothing has been pending for kSpareTime, and there is more memory than the wheel began with.
  virtual void Trim() = 0;

 private:
  friend class LoopDriver;

  // Values of kHeld.
  static constexpr std::uint32_t kIdle = 0;
  static constexpr std::uint32_t kRetained = 1;
  static constexpr std::uint32_t kKeepsLoopAlive = 2;

  bool EpochIsOpen() const { return control(kEpochEnd) != 0; }
  /// Whether operations of it count from one reading of the clock. JavaScript asks for the others itself.
  bool EpochIsShared() const { return !std::isinf(core_.store().memory().real(kLeastSlack)); }
  /// When the wheel needs a call of Dispatch, in nanoseconds of uv_hrtime; LoopDriver::kFar if it needs none.
  std::uint64_t WakeTime(std::uint64_t loop_now);

  TimerWheel core_;
  TickClock clock_;
  // In the driver's list of wheels that are held, or in that of those that will be trimmed, or in none.
  DrivenWheel* next_ = nullptr;
  DrivenWheel* previous_ = nullptr;
  std::uint32_t held_ = kIdle;
  // When the wheel will be trimmed, in nanoseconds of uv_hrtime; 0: it will not.
  std::uint64_t trim_due_ = 0;
  // What is due runs whether or not it has a reference, though it takes several turns.
  bool more_ = false;
  // What WakeTime found for kWake the last time, as it rarely changes from turn to turn.
  Tick known_wake_ = 0;
  std::uint64_t known_wake_time_ = 0;
};

/// One per environment. Shared by the environment, its handles and its wheels, as any of them may go first.
class LoopDriver {
 public:
  static constexpr std::uint64_t kFar = UINT64_MAX;
  /// For how long an empty wheel keeps the memory that it has taken, in nanoseconds.
  static constexpr std::uint64_t kSpareTime = 10'000 * kNsPerMs;

  /// Null where the environment has no event loop. The caller shares it.
  static LoopDriver* Open(napi_env env);

  LoopDriver(const LoopDriver&) = delete;
  LoopDriver& operator=(const LoopDriver&) = delete;

  void Share() { ++shares_; }
  void Unshare();

  /// Holds a wheel, and the loop if that is asked for or the rest of a slice does. The counts of the wheel's timers may
  /// follow: before the loop sleeps, the hold is brought in line with them. O(1).
  void Hold(DrivenWheel& wheel, bool keeps_loop_alive);
  /// Ends the hold, where there is one. O(1).
  void LetGo(DrivenWheel& wheel);
  /// The same for a wheel that is being destroyed: it is not released. O(1).
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
  bool RestsAloneKeepLoopAlive() const;
  void SetWakeUp(std::uint64_t hrtime);
  void StartTimer(std::uint64_t hrtime);
  void SetHeld(DrivenWheel& wheel, std::uint32_t held);
  void Link(DrivenWheel& wheel);
  void Unlink(DrivenWheel& wheel);
  void TrimLater(DrivenWheel& wheel);
  void KeepUntrimmed(DrivenWheel& wheel);
  void TrimDue(std::uint64_t hrtime);
  uv_handle_s* timer_handle() const { return reinterpret_cast<uv_handle_s*>(timer_); }
  uv_handle_s* prepare_handle() const { return reinterpret_cast<uv_handle_s*>(prepare_); }

  napi_env env_;
  uv_loop_s* loop_ = nullptr;
  uv_timer_s* timer_ = nullptr;
  uv_prepare_s* prepare_ = nullptr;
  TimerfdAlarm alarm_{OnAlarm};
  napi_async_cleanup_hook_handle hook_ = nullptr;

  DrivenWheel* first_ = nullptr;
  // Where Expire goes on, so that a callback may take any wheel out of the list.
  DrivenWheel* cursor_ = nullptr;
  // Wheels that are not held and will be trimmed, in the order of their times. They may be collected before.
  DrivenWheel* first_spare_ = nullptr;
  DrivenWheel* last_spare_ = nullptr;
  // Wheels that keep the loop alive.
  std::uint32_t keeping_ = 0;
  std::uint32_t shares_ = 1;
  std::uint32_t open_handles_ = 0;
  bool timer_active_ = false;
  std::uint64_t wake_up_ = 0;
  bool closed_ = false;
};

}  // namespace timeout_wheel
