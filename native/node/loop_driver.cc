#include "loop_driver.h"

#include <initializer_list>
#include <new>

namespace timeout_wheel {

// ---- life and death -------------------------------------------------------------------------------------------------

LoopDriver* LoopDriver::Open(napi_env env) {
  auto* driver = new LoopDriver(env);
  if (driver->Start()) return driver;
  driver->Unshare();
  return nullptr;
}

bool LoopDriver::Start() {
  if (napi_get_uv_event_loop(env_, &loop_) != napi_ok) return false;
  if (napi_add_async_cleanup_hook(env_, OnCleanup, this, &hook_) != napi_ok) return false;
  timer_ = static_cast<uv_timer_s*>(::operator new(uv_handle_size(kUvTimer)));
  prepare_ = static_cast<uv_prepare_s*>(::operator new(uv_handle_size(kUvPrepare)));
  uv_timer_init(loop_, timer_);
  uv_prepare_init(loop_, prepare_);
  for (uv_handle_s* handle : {AsHandle(timer_), AsHandle(prepare_)}) {
    uv_handle_set_data(handle, this);
    uv_unref(handle);
  }
  Share();
  return true;
}

LoopDriver::~LoopDriver() {
  ::operator delete(timer_);
  ::operator delete(prepare_);
}

// The environment ends. Wheels may be destroyed before or after this. None is woken any more.
void LoopDriver::OnCleanup(napi_async_cleanup_hook_handle /*hook*/, void* data) {
  auto* driver = static_cast<LoopDriver*>(data);
  driver->closed_ = true;
  while (driver->first_ != nullptr) driver->Unlink(*driver->first_);
  for (uv_handle_s* handle : {AsHandle(driver->timer_), AsHandle(driver->prepare_), driver->alarm_.handle()}) {
    if (handle == nullptr) continue;
    ++driver->open_handles_;
    uv_close(handle, OnClosed);
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

// ---- the wheels -----------------------------------------------------------------------------------------------------

void LoopDriver::Hold(DrivenWheel& wheel, bool keeps_loop_alive) {
  if (closed_) return;
  SetHeld(wheel, keeps_loop_alive ? kKeepsLoopAlive : kRetained);
}

void LoopDriver::LetGo(DrivenWheel& wheel) {
  if (closed_) return;
  SetHeld(wheel, DrivenWheel::kIdle);
}

void LoopDriver::SetHeld(DrivenWheel& wheel, std::uint32_t held) {
  const std::uint32_t before = wheel.held_;
  if (held == before) return;
  wheel.control(kHeld) = wheel.held_ = held;

  const bool keeps = held == kKeepsLoopAlive;
  if (keeps && keeping_++ == 0) {
    uv_ref(AsHandle(timer_));
    // The loop counts only active handles. Prepare sets the real time before the loop sleeps.
    if (!timer_active_) StartTimer(kFar);
  } else if (before == kKeepsLoopAlive && --keeping_ == 0) {
    uv_unref(AsHandle(timer_));
  }

  if (before == DrivenWheel::kIdle) {
    Link(wheel);
    wheel.Retain();
  } else if (held == DrivenWheel::kIdle) {
    Unlink(wheel);
    wheel.Release();
  }
}

void LoopDriver::Forget(DrivenWheel& wheel) {
  if (closed_ || wheel.held_ == DrivenWheel::kIdle) return;
  if (wheel.held_ == kKeepsLoopAlive && --keeping_ == 0) uv_unref(AsHandle(timer_));
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

}  // namespace timeout_wheel
