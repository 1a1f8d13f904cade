#include "loop_driver.h"

#include <algorithm>
#include <cstdlib>

namespace timeout_wheel {

std::uint64_t DrivenWheel::WakeTime(std::uint64_t loop_now) {
  if (more_) return 0;
  if (control(kArmed) == 0) return LoopDriver::kFar;
  const Tick wake = control(kWake);
  if (wake != known_wake_ || known_wake_time_ == 0) {
    known_wake_ = wake;
    known_wake_time_ = clock_.TimeOf(wake, loop_now * kNsPerMs, LoopDriver::kFar / kNsPerMs * kNsPerMs);
  }
  const double early = (1 - core_.DueWithinWakeTick()) * static_cast<double>(clock_.tick_ns());
  return known_wake_time_ - static_cast<std::uint64_t>(early);
}

// ---- life and death -------------------------------------------------------------------------------------------------

LoopDriver* LoopDriver::Open(napi_env env) {
  auto* driver = new LoopDriver(env);
  if (driver->Start()) return driver;
  driver->Unshare();
  return nullptr;
}

bool LoopDriver::Start() {
  if (napi_get_uv_event_loop(env_, &loop_) != napi_ok) return false;
  timer_ = static_cast<uv_timer_s*>(std::malloc(uv_handle_size(kUvTimer)));
  prepare_ = static_cast<uv_prepare_s*>(std::malloc(uv_handle_size(kUvPrepare)));
  if (timer_ == nullptr || prepare_ == nullptr) return false;

  if (napi_add_async_cleanup_hook(env_, OnCleanup, this, &hook_) != napi_ok) return false;
  // These two cannot fail. From here on the loop owns the handles until they are closed.
  uv_timer_init(loop_, timer_);
  uv_prepare_init(loop_, prepare_);
  open_handles_ = 2;
  Share();
  for (uv_handle_s* handle : {timer_handle(), prepare_handle()}) {
    uv_handle_set_data(handle, this);
    uv_unref(handle);
  }
  return true;
}

// The environment ends. Wheels may be destroyed before or after this. None is woken any more.
void LoopDriver::OnCleanup(napi_async_cleanup_hook_handle /*hook*/, void* data) {
  auto* driver = static_cast<LoopDriver*>(data);
  driver->closed_ = true;
  while (driver->first_ != nullptr) driver->Unlink(*driver->first_);
  while (driver->first_spare_ != nullptr) driver->KeepUntrimmed(*driver->first_spare_);
  uv_close(driver->timer_handle(), OnClosed);
  uv_close(driver->prepare_handle(), OnClosed);
  if (driver->alarm_.handle() != nullptr) {
    ++driver->open_handles_;
    uv_close(driver->alarm_.handle(), OnClosed);
  }
}

void LoopDriver::OnClosed(uv_handle_s* handle) {
  auto* driver = static_cast<LoopDriver*>(uv_handle_get_data(handle));
  if (--driver->open_handles_ != 0) return;
  napi_remove_async_cleanup_hook(driver->hook_);
  driver->Unshare();
}

void LoopDriver::Unshare() {
  if (--shares_ == 0) delete this;
}

LoopDriver::~LoopDriver() {
  std::free(timer_);
  std::free(prepare_);
}

// ---- the wheels -----------------------------------------------------------------------------------------------------

void LoopDriver::Hold(DrivenWheel& wheel, bool keeps_loop_alive) {
  if (closed_) return;
  SetHeld(wheel, keeps_loop_alive || wheel.more_ ? DrivenWheel::kKeepsLoopAlive : DrivenWheel::kRetained);
}

void LoopDriver::LetGo(DrivenWheel& wheel) {
  if (closed_) return;
  SetHeld(wheel, DrivenWheel::kIdle);
  KeepUntrimmed(wheel);
}

void LoopDriver::SetHeld(DrivenWheel& wheel, std::uint32_t held) {
  const std::uint32_t before = wheel.held_;
  if (held == before) return;
  wheel.control(kHeld) = wheel.held_ = held;

  const bool keeps = held == DrivenWheel::kKeepsLoopAlive;
  if (keeps && keeping_++ == 0) {
    uv_ref(timer_handle());
    // The loop counts only active handles. Prepare sets the real time before the loop sleeps.
    if (!timer_active_) SetWakeUp(kFar);
  } else if (before == DrivenWheel::kKeepsLoopAlive && --keeping_ == 0) {
    uv_unref(timer_handle());
  }

  if (before == DrivenWheel::kIdle) {
    KeepUntrimmed(wheel);
    Link(wheel);
    wheel.Retain();
  } else if (held == DrivenWheel::kIdle) {
    Unlink(wheel);
    if (wheel.control(kSpare) != 0) TrimLater(wheel);
    wheel.Release();
  }
}

void LoopDriver::Forget(DrivenWheel& wheel) {
  KeepUntrimmed(wheel);
  if (closed_ || wheel.held_ == DrivenWheel::kIdle) return;
  if (wheel.held_ == DrivenWheel::kKeepsLoopAlive && --keeping_ == 0) uv_unref(timer_handle());
  Unlink(wheel);
}

// Links at the front: a wheel made by a callback has nothing due in the current pass.
void LoopDriver::Link(DrivenWheel& wheel) {
  if (first_ == nullptr) {
    uv_prepare_start(prepare_, OnPrepare);
  } else {
    first_->previous_ = &wheel;
  }
  wheel.next_ = first_;
  wheel.previous_ = nullptr;
  wheel.more_ = false;
  wheel.known_wake_time_ = 0;
  first_ = &wheel;
}

void LoopDriver::Unlink(DrivenWheel& wheel) {
  if (cursor_ == &wheel) cursor_ = wheel.next_;
  (wheel.previous_ != nullptr ? wheel.previous_->next_ : first_) = wheel.next_;
  if (wheel.next_ != nullptr) wheel.next_->previous_ = wheel.previous_;
  wheel.next_ = wheel.previous_ = nullptr;
  wheel.held_ = DrivenWheel::kIdle;
}

// Appends at the back, because all wheels wait equally long.
void LoopDriver::TrimLater(DrivenWheel& wheel) {
  wheel.trim_due_ = uv_now(loop_) * kNsPerMs + kSpareTime;
  wheel.previous_ = last_spare_;
  wheel.next_ = nullptr;
  (last_spare_ != nullptr ? last_spare_->next_ : first_spare_) = &wheel;
  last_spare_ = &wheel;
}

void LoopDriver::KeepUntrimmed(DrivenWheel& wheel) {
  if (wheel.trim_due_ == 0) return;
  (wheel.previous_ != nullptr ? wheel.previous_->next_ : first_spare_) = wheel.next_;
  (wheel.next_ != nullptr ? wheel.next_->previous_ : last_spare_) = wheel.previous_;
  wheel.next_ = wheel.previous_ = nullptr;
  wheel.trim_due_ = 0;
}

// Starts at the front in each round: garbage collection may destroy wheels meanwhile.
void LoopDriver::TrimDue(std::uint64_t hrtime) {
  while (first_spare_ != nullptr && first_spare_->trim_due_ <= hrtime) {
    DrivenWheel& wheel = *first_spare_;
    KeepUntrimmed(wheel);
    wheel.Trim();
  }
}

// ---- the event loop -------------------------------------------------------------------------------------------------

void LoopDriver::OnPrepare(uv_prepare_s* handle) {
  static_cast<LoopDriver*>(uv_handle_get_data(reinterpret_cast<uv_handle_s*>(handle)))->Prepare();
}

void LoopDriver::OnTimer(uv_timer_s* handle) {
  static_cast<LoopDriver*>(uv_handle_get_data(reinterpret_cast<uv_handle_s*>(handle)))->Expire();
}

// Every turn of the loop runs this, so it reads the clock only if an epoch is open.
void LoopDriver::Prepare() {
  const std::uint64_t loop_now = uv_now(loop_);
  std::uint64_t hrtime = 0;
  std::uint64_t earliest = kFar;
  for (DrivenWheel* wheel = first_; wheel != nullptr;) {
    DrivenWheel* const next = wheel->next_;
    if (wheel->EpochIsOpen()) {
      if (hrtime == 0) hrtime = uv_hrtime();
      const bool is_shared = wheel->EpochIsShared();
      wheel->core_.CloseEpoch(wheel->clock_.TicksAt(hrtime));
      if (is_shared) wheel->EpochClosed();
    }
    if (wheel->control(kSubmitted) != 0) wheel->core_.TakeSubmissions();
    if (wheel->control(kReferenced) + wheel->control(kUnreferenced) == 0) {
      SetHeld(*wheel, DrivenWheel::kIdle);
    } else {
      Hold(*wheel, wheel->control(kReferenced) != 0);
      earliest = std::min(earliest, wheel->WakeTime(loop_now));
    }
    wheel = next;
  }
  if (first_ == nullptr) uv_prepare_stop(prepare_);
  if (first_spare_ != nullptr) earliest = std::min(earliest, first_spare_->trim_due_);
  if (earliest != kFar || keeping_ != 0) {
    SetWakeUp(earliest);
  } else if (timer_active_) {
    uv_timer_stop(timer_);
    timer_active_ = false;
    alarm_.Clear();
  }
}

void LoopDriver::SetWakeUp(std::uint64_t hrtime) {
  if (timer_active_ && wake_up_ == hrtime) return;
  StartTimer(hrtime);
  if (hrtime > uv_now(loop_) * kNsPerMs && hrtime != kFar) {
    alarm_.Set(loop_, hrtime, this);
  } else {
    alarm_.Clear();
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
  driver->alarm_.Acknowledge();
  if (driver->timer_active_ && driver->wake_up_ % kNsPerMs != 0) driver->StartTimer(0);
}

// Whether only due timers that wheels have left over keep the loop alive. In such a turn a wheel without left-over
// timers must not start: its timers without a reference could leave timers over in turn, and the process would never
// end.
bool LoopDriver::RestsAloneKeepLoopAlive() const {
  bool has_rest = false;
  for (const DrivenWheel* wheel = first_; wheel != nullptr; wheel = wheel->next_) {
    if (wheel->control(kReferenced) != 0) return false;
    has_rest = has_rest || wheel->more_;
  }
  return has_rest && uv_loop_alive(loop_) == 0;
}

void LoopDriver::Expire() {
  // The loop has stopped the timer, so the timer does not keep the loop alive.
  timer_active_ = false;
  // A callback may end the environment. The driver must outlive this function.
  Share();
  const std::uint64_t loop_now = uv_now(loop_);
  const std::uint64_t hrtime = uv_hrtime();
  const bool only_rests = RestsAloneKeepLoopAlive();
  cursor_ = first_;
  while (cursor_ != nullptr && !closed_) {
    DrivenWheel& wheel = *cursor_;
    cursor_ = wheel.next_;
    if (wheel.WakeTime(loop_now) > hrtime || (only_rests && !wheel.more_)) continue;
    wheel.more_ = false;
    const DrivenWheel::Outcome outcome = wheel.Dispatch();
    if (outcome == DrivenWheel::Outcome::kShutdown) break;
    // The wheel may have been closed, but not destroyed: Dispatch kept it.
    wheel.more_ = outcome == DrivenWheel::Outcome::kMore;
    // At once, because in another turn of the loop a timer without a reference may be due again.
    if (wheel.held_ != DrivenWheel::kIdle) Hold(wheel, wheel.control(kReferenced) != 0);
  }
  cursor_ = nullptr;
  TrimDue(hrtime);
  // Prepare sets the right time, unless no wheel is held. Do not set the present time here: an older libuv would run
  // the timer again before it polls for I/O.
  if (!closed_ && !timer_active_) {
    if (keeping_ != 0) {
      SetWakeUp(kFar);
    } else if (first_ == nullptr && first_spare_ != nullptr) {
      SetWakeUp(first_spare_->trim_due_);
    }
  }
  Unshare();
}

}  // namespace timeout_wheel
