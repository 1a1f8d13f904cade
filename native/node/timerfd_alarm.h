// Wakes an event loop at a given nanosecond of its clock, by a timerfd of Linux.
//
// By itself libuv sleeps for whole milliseconds, counted from any point within a millisecond, and the kernel adds a
// thousandth of a long sleep. So a timer would be half a millisecond late on average. On other systems, and if the
// system gives no descriptor, the alarm does nothing and the loop sleeps as usual.
#pragma once

#include <cstdint>

#include "libuv.h"

namespace timeout_wheel {

class TimerfdAlarm {
 public:
  /// The loop calls `ring` in its poll phase, and again in each turn until Set is called.
  explicit TimerfdAlarm(uv_poll_cb ring) : ring_(ring) {}
  /// Allowed after the handle has been closed, or if none was opened.
  ~TimerfdAlarm();
  TimerfdAlarm(const TimerfdAlarm&) = delete;
  TimerfdAlarm& operator=(const TimerfdAlarm&) = delete;

  /// Wakes `loop` at `hrtime`, in nanoseconds of its clock; 0: never. Replaces the alarm set before. The first time
  /// opens the handle and gives it `data`.
  void Set(uv_loop_s* loop, std::uint64_t hrtime, void* data);
  /// `ring` calls it first.
  void SetRung() { due_ = kRung; }

  /// The handle, to be closed before this object is destroyed. Null if none was opened.
  uv_handle_s* handle() const { return reinterpret_cast<uv_handle_s*>(poll_); }

 private:
  void Open(uv_loop_s* loop, void* data);

  [[maybe_unused]] uv_poll_cb ring_;
  uv_poll_s* poll_ = nullptr;
  int descriptor_ = -1;
  bool tried_ = false;
  static constexpr std::uint64_t kRung = 1;
  // The time for which the alarm is set; 0: it is not set; kRung: it has gone off.
  std::uint64_t due_ = 0;
};

}  // namespace timeout_wheel
