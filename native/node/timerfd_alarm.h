// Ends the sleep of an event loop at a nanosecond of its clock. By itself libuv sleeps for whole milliseconds from
// wherever in one it is, and the kernel adds a thousandth of a long sleep: a timer would be half a millisecond late on
// average.
//
// A timerfd, so on Linux only; elsewhere, and where no descriptor is to be had, the loop sleeps as it does by itself.
#pragma once

#include <cstdint>

#include "libuv.h"

namespace timeout_wheel {

class TimerfdAlarm {
 public:
  /// `ring` is called in the loop's poll phase, and has to acknowledge.
  explicit TimerfdAlarm(uv_poll_cb ring) : ring_(ring) {}
  /// After the handle has been closed, or where none was opened.
  ~TimerfdAlarm();
  TimerfdAlarm(const TimerfdAlarm&) = delete;
  TimerfdAlarm& operator=(const TimerfdAlarm&) = delete;

  /// Wakes `loop` at `hrtime`, in nanoseconds of its clock, in place of what was set before. The first call opens the
  /// handle, whose data is `data`.
  void Set(uv_loop_s* loop, std::uint64_t hrtime, void* data);
  void Clear();
  /// Takes note that the alarm has gone off: it would go on ringing.
  void Acknowledge();

  /// To be closed before this is destroyed. Null: there is none.
  uv_handle_s* handle() const { return reinterpret_cast<uv_handle_s*>(poll_); }

 private:
  void Open(uv_loop_s* loop, void* data);

  [[maybe_unused]] uv_poll_cb ring_;
  uv_poll_s* poll_ = nullptr;
  int descriptor_ = -1;
  bool tried_ = false;
  bool set_ = false;
};

}  // namespace timeout_wheel
