#include "exact_alarm.h"

#ifdef __linux__

#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace timeout_wheel {
namespace {

// Takes note that the alarm has gone off, so that the descriptor is no longer readable.
void OnReadable(uv_poll_s* handle, int /*status*/, int /*events*/) {
  int descriptor = -1;
  std::uint64_t expirations = 0;
  if (uv_fileno(reinterpret_cast<uv_handle_s*>(handle), &descriptor) != 0) return;
  // Nothing to read: it has been set anew meanwhile.
  [[maybe_unused]] const ssize_t bytes = read(descriptor, &expirations, sizeof expirations);
}

timespec At(std::uint64_t milliseconds) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(milliseconds / 1000);
  time.tv_nsec = static_cast<long>(milliseconds % 1000 * 1'000'000);
  return time;
}

}  // namespace

ExactAlarm::~ExactAlarm() {
  if (descriptor_ != -1) close(descriptor_);
  std::free(poll_);
}

void ExactAlarm::Open(uv_loop_s* loop, void* data) {
  tried_ = true;
  // The clock of uv_hrtime.
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
  uv_poll_start(poll_, kUvReadable, OnReadable);
}

void ExactAlarm::Set(uv_loop_s* loop, std::uint64_t loop_time, void* data) {
  if (!tried_) Open(loop, data);
  if (poll_ == nullptr) return;
  itimerspec spec{};
  spec.it_value = At(loop_time);
  timerfd_settime(descriptor_, TFD_TIMER_ABSTIME, &spec, nullptr);
  set_ = true;
}

void ExactAlarm::Clear() {
  if (!set_) return;
  const itimerspec spec{};
  timerfd_settime(descriptor_, 0, &spec, nullptr);
  set_ = false;
}

}  // namespace timeout_wheel

#else

namespace timeout_wheel {

ExactAlarm::~ExactAlarm() = default;
void ExactAlarm::Open(uv_loop_s* /*loop*/, void* /*data*/) {}
void ExactAlarm::Set(uv_loop_s* /*loop*/, std::uint64_t /*loop_time*/, void* /*data*/) {}
void ExactAlarm::Clear() {}

}  // namespace timeout_wheel

#endif
