// Wakes an event loop at a given time. On Linux by a timerfd, to the nanosecond, in the phase in which the loop polls
// for I/O. On other systems, and if the system gives no descriptor, by a uv_timer, to the millisecond.
//
// By itself libuv sleeps for whole milliseconds, counted from any point within a millisecond, and the kernel adds a
// thousandth of a long sleep. So a uv_timer is half a millisecond late on average.
#pragma once

#include <cstdint>

#include "libuv.h"

namespace timeout_wheel {

class Alarm {
 public:
  /// The time of an alarm that never rings. Times are nanoseconds of uv_hrtime.
  static constexpr std::uint64_t kNever = UINT64_MAX;

  /// When its time has come, the alarm calls `ring(data)`: a uv_timer once, a timerfd in each turn until the next Set.
  using Ring = void (*)(void* data);

  Alarm(Ring ring, void* data) : ring_(ring), data_(data) {}
  /// Call it after the loop has closed the handle, or if there is none.
  ~Alarm();
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// Replaces the time set before. The first call opens a handle, which does not keep the loop alive.
  void Set(uv_loop_s* loop, std::uint64_t hrtime);

  /// Whether it has rung since it was set.
  bool has_rung() const { return has_rung_; }

  /// The handle, to be closed before this object is destroyed; its data is this object. Null if none was opened.
  uv_handle_s* handle() const { return handle_; }
  /// For a handle that is being closed.
  void* data() const { return data_; }

 private:
  bool OpenTimerfd(uv_loop_s* loop);
  void SetTimerfd(std::uint64_t hrtime) const;
  void OpenTimer(uv_loop_s* loop);
  void SetTimer(uv_loop_s* loop, std::uint64_t hrtime) const;
  static void OnRung(uv_handle_s* handle);

  Ring ring_;
  void* data_;
  uv_handle_s* handle_ = nullptr;
  int descriptor_ = -1;
  bool has_rung_ = false;
};

}  // namespace timeout_wheel
