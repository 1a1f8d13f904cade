#include "alarm.h"

#include <cstdlib>

#ifdef __linux__
#include <sys/timerfd.h>
#include <unistd.h>

#include <ctime>
#endif

namespace timeout_wheel {

Alarm::~Alarm() {
#ifdef __linux__
  if (descriptor_ != -1) close(descriptor_);
#endif
  std::free(handle_);
}

void Alarm::Set(uv_loop_s* loop, std::uint64_t hrtime) {
  if (handle_ == nullptr && !OpenTimerfd(loop)) OpenTimer(loop);
  has_rung_ = false;
  if (descriptor_ != -1) {
    SetTimerfd(hrtime);
  } else if (handle_ != nullptr) {
    SetTimer(loop, hrtime);
  }
}

void Alarm::OnRung(uv_handle_s* handle) {
  auto* alarm = static_cast<Alarm*>(handle->data);
  alarm->has_rung_ = true;
  alarm->ring_(alarm->data_);
}

#ifdef __linux__

bool Alarm::OpenTimerfd(uv_loop_s* loop) {
  // uv_hrtime reads the same clock.
  descriptor_ = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (descriptor_ == -1) return false;
  auto* poll = static_cast<uv_poll_s*>(std::malloc(uv_handle_size(kUvPoll)));
  if (poll != nullptr && uv_poll_init(loop, poll, descriptor_) == 0) {
    handle_ = reinterpret_cast<uv_handle_s*>(poll);
    handle_->data = this;
    uv_unref(handle_);
    uv_poll_start(poll, kUvReadable, [](uv_poll_s* rung, int, int) { OnRung(reinterpret_cast<uv_handle_s*>(rung)); });
    return true;
  }
  std::free(poll);
  close(descriptor_);
  descriptor_ = -1;
  return false;
}

// Each call also ends the ringing, so nothing reads the descriptor.
void Alarm::SetTimerfd(std::uint64_t hrtime) const {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  itimerspec spec{};
  if (hrtime != kNever) {
    spec.it_value.tv_sec = static_cast<time_t>(hrtime / kNsPerSecond);
    spec.it_value.tv_nsec = static_cast<long>(hrtime % kNsPerSecond);
    // Zero would end the alarm.
    if (hrtime == 0) spec.it_value.tv_nsec = 1;
  }
  timerfd_settime(descriptor_, TFD_TIMER_ABSTIME, &spec, nullptr);
}

#else

bool Alarm::OpenTimerfd(uv_loop_s* /*loop*/) { return false; }
void Alarm::SetTimerfd(std::uint64_t /*hrtime*/) const {}

#endif

void Alarm::OpenTimer(uv_loop_s* loop) {
  auto* timer = static_cast<uv_timer_s*>(std::malloc(uv_handle_size(kUvTimer)));
  if (timer == nullptr) return;
  uv_timer_init(loop, timer);
  handle_ = reinterpret_cast<uv_handle_s*>(timer);
  handle_->data = this;
  uv_unref(handle_);
}

// libuv adds the time-out to the loop's cached time, however old that is. So the sum is exact.
void Alarm::SetTimer(uv_loop_s* loop, std::uint64_t hrtime) const {
  auto* timer = reinterpret_cast<uv_timer_s*>(handle_);
  if (hrtime == kNever) {
    uv_timer_stop(timer);
    return;
  }
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  const std::uint64_t due = hrtime / kNsPerMs + (hrtime % kNsPerMs == 0 ? 0 : 1);
  const std::uint64_t now = uv_now(loop);
  const auto ring = [](uv_timer_s* rung) { OnRung(reinterpret_cast<uv_handle_s*>(rung)); };
  uv_timer_start(timer, ring, due > now ? due - now : 0, 0);
}

}  // namespace timeout_wheel
