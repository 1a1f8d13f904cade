#include "timerfd_alarm.h"

#ifdef __linux__

#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace timeout_wheel {
namespace {

timespec At(std::uint64_t hrtime) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  timespec time{};
  time.tv_sec = static_cast<time_t>(hrtime / kNsPerSecond);
  time.tv_nsec = static_cast<long>(hrtime % kNsPerSecond);
  return time;
}

}  // namespace

TimerfdAlarm::~TimerfdAlarm() {
  if (descriptor_ != -1) close(descriptor_);
  std::free(poll_);
}

void TimerfdAlarm::Open(uv_loop_s* loop, void* data) {
  tried_ = true;
  // uv_hrtime reads the same clock.
  descriptor_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (descriptor_ == -1) return;
  poll_ = static_cast<uv_poll_s*>(std::malloc(uv_handle_size(kUvPoll)));
  if (poll_ == nullptr) return;
  if (uv_poll_init(loop, poll_, descriptor_) != 0) {
    std::free(poll_);
    poll_ = nullptr;
    return;
  }
  uv_handle_set_data(handle(), data);
  uv_unref(handle());
  uv_poll_start(poll_, kUvReadable, ring_);
}

// Each call of timerfd_settime also ends the ringing, so nothing reads the descriptor.
void TimerfdAlarm::Set(uv_loop_s* loop, std::uint64_t hrtime, void* data) {
  if (hrtime == due_) return;
  if (!tried_) Open(loop, data);
  due_ = hrtime;
  if (poll_ == nullptr) return;
  itimerspec spec{};
  spec.it_value = At(hrtime);
  timerfd_settime(descriptor_, TFD_TIMER_ABSTIME, &spec, nullptr);
}

}  // namespace timeout_wheel

#else

namespace timeout_wheel {

TimerfdAlarm::~TimerfdAlarm() = default;
void TimerfdAlarm::Open(uv_loop_s* /*loop*/, void* /*data*/) {}
void TimerfdAlarm::Set(uv_loop_s* /*loop*/, std::uint64_t /*hrtime*/, void* /*data*/) {}

}  // namespace timeout_wheel

#endif
