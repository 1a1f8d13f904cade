// What the driver does in one turn of the event loop.
#include <algorithm>

#include "loop_driver.h"

namespace timeout_wheel {

std::uint64_t DrivenWheel::WakeTime() {
  if (more_) return 0;
  if (control(kArmed) == 0) return LoopDriver::kFar;
  const Tick wake = control(kWake);
  if (wake != known_wake_ || known_wake_time_ == 0) {
    known_wake_ = wake;
    known_wake_time_ = clock_.TimeOf(wake, advanced_, LoopDriver::kFar / kNsPerMs * kNsPerMs);
  }
  const double early = (1 - core_.DueWithinWakeTick()) * static_cast<double>(clock_.tick_ns());
  return known_wake_time_ - static_cast<std::uint64_t>(early);
}

namespace {

template <typename Handle>
LoopDriver& DriverOf(Handle* handle) {
  return *static_cast<LoopDriver*>(uv_handle_get_data(AsHandle(handle)));
}

}  // namespace

void LoopDriver::OnPrepare(uv_prepare_s* handle) { DriverOf(handle).Prepare(); }

void LoopDriver::OnTimer(uv_timer_s* handle) {
  LoopDriver& driver = DriverOf(handle);
  // The loop has stopped the timer, so the timer does not keep the loop alive.
  driver.timer_active_ = false;
  driver.Expire();
}

// Every turn of the loop runs this, so it reads the clock only if JavaScript has written something.
void LoopDriver::Prepare() {
  const std::uint64_t loop_now = uv_now(loop_);
  std::uint64_t hrtime = 0;
  TakeWritten(hrtime);
  std::uint64_t earliest = kFar;
  for (DrivenWheel* wheel = first_; wheel != nullptr;) {
    DrivenWheel* const next = wheel->next_;
    if (wheel->control(kReferenced) + wheel->control(kUnreferenced) == 0) {
      SetHeld(*wheel, DrivenWheel::kIdle);
    } else {
      Hold(*wheel, wheel->control(kReferenced) != 0);
      earliest = std::min(earliest, wheel->WakeTime());
    }
    wheel = next;
  }
  if (first_ == nullptr) uv_prepare_stop(prepare_);
  if (earliest == kFar && keeping_ == 0) {
    if (timer_active_) uv_timer_stop(timer_);
    timer_active_ = false;
  } else if (!timer_active_ || wake_up_ != earliest) {
    StartTimer(earliest);
  }
  const bool needs_alarm = earliest != kFar && earliest > loop_now * kNsPerMs;
  alarm_.Set(loop_, needs_alarm ? earliest : 0, this);
}

// Closes the open epochs and files the submissions. Sets `hrtime` to the present time if it is 0 and something was
// written.
void LoopDriver::TakeWritten(std::uint64_t& hrtime) {
  for (DrivenWheel* wheel = first_; wheel != nullptr; wheel = wheel->next_) {
    const bool is_open = wheel->EpochIsOpen();
    if (!is_open && wheel->control(kSubmitted) == 0) continue;
    if (hrtime == 0) hrtime = uv_hrtime();
    if (is_open) {
      const bool is_shared = wheel->EpochIsShared();
      wheel->core_.CloseEpoch(wheel->clock_.TicksAt(hrtime));
      if (is_shared) wheel->EpochClosed();
    }
    if (wheel->control(kSubmitted) != 0) wheel->core_.TakeSubmissions();
  }
}

// libuv adds the time-out to the loop's cached time, however old that is. So the sum is exact.
void LoopDriver::StartTimer(std::uint64_t hrtime) {
  const std::uint64_t loop_time = hrtime / kNsPerMs + (hrtime % kNsPerMs == 0 ? 0 : 1);
  const std::uint64_t loop_now = uv_now(loop_);
  uv_timer_start(timer_, OnTimer, loop_time > loop_now ? loop_time - loop_now : 0, 0);
  timer_active_ = true;
  wake_up_ = hrtime;
}

// Runs no timers. It makes the uv_timer due, whose callback runs them. At a whole millisecond the uv_timer is due by
// itself.
void LoopDriver::OnAlarm(uv_poll_s* handle, int /*status*/, int /*events*/) {
  auto* driver = static_cast<LoopDriver*>(uv_handle_get_data(reinterpret_cast<uv_handle_s*>(handle)));
  driver->alarm_.SetRung();
  if (driver->timer_active_ && driver->wake_up_ % kNsPerMs != 0) driver->StartTimer(0);
}

void LoopDriver::Expire() {
  // A callback may end the environment. The driver must outlive this function.
  Share();
  std::uint64_t hrtime = uv_hrtime();
  // Before any callback runs, because epochs end at the present time.
  TakeWritten(hrtime);
  DispatchDue(hrtime);
  // Prepare sets the right time and the alarm, unless no wheel is held. Do not set the present time here: an older
  // libuv would run the timer again before it polls for I/O.
  if (!closed_ && !timer_active_ && keeping_ != 0) StartTimer(kFar);
  Unshare();
}

void LoopDriver::DispatchDue(std::uint64_t hrtime) {
  cursor_ = first_;
  while (cursor_ != nullptr && !closed_) {
    DrivenWheel& wheel = *cursor_;
    cursor_ = wheel.next_;
    if (wheel.WakeTime() > hrtime) continue;
    wheel.more_ = false;
    const DrivenWheel::Outcome outcome = wheel.Dispatch();
    if (outcome == DrivenWheel::Outcome::kShutdown) break;
    // The wheel may have been closed, but not destroyed: Dispatch kept it.
    wheel.more_ = outcome == DrivenWheel::Outcome::kMore;
    // At once, because in another turn of the loop a timer without a reference may be due again.
    if (wheel.held_ != DrivenWheel::kIdle) Hold(wheel, wheel.control(kReferenced) != 0);
  }
  cursor_ = nullptr;
}

}  // namespace timeout_wheel
