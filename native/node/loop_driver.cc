#include "loop_driver.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>

namespace timeout_wheel {
namespace {

constexpr std::uint64_t kNsPerMs = 1'000'000;

// A product, because a division takes longer. Signed, because x86-64 converts no other integers in one instruction.
double ToMs(std::uint64_t ns) { return static_cast<double>(static_cast<std::int64_t>(ns)) * 1e-6; }

// On Linux what uv_hrtime reads, without its three calls.
std::uint64_t Hrtime() {
#ifdef __linux__
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
#else
  return uv_hrtime();
#endif
}

uv_handle_s* AsHandle(uv_prepare_s* prepare) { return reinterpret_cast<uv_handle_s*>(prepare); }

}  // namespace

LoopDriver* LoopDriver::Open(napi_env env) {
  auto* driver = new LoopDriver(env);
  if (driver->Start()) return driver;
  driver->Unshare();
  return nullptr;
}

bool LoopDriver::Start() {
  origin_ = Hrtime() / kNsPerMs * kNsPerMs;
  if (napi_get_uv_event_loop(env_, &loop_) != napi_ok) return false;
  prepare_ = static_cast<uv_prepare_s*>(std::malloc(uv_handle_size(kUvPrepare)));
  if (prepare_ == nullptr) return false;
  if (napi_add_async_cleanup_hook(env_, OnCleanup, this, &hook_) != napi_ok) return false;
  uv_prepare_init(loop_, prepare_);
  AsHandle(prepare_)->data = this;
  uv_unref(AsHandle(prepare_));
  Share();
  return true;
}

LoopDriver::~LoopDriver() { std::free(prepare_); }

// The environment ends. Wheels may be destroyed before or after this. None is woken any more.
void LoopDriver::OnCleanup(napi_async_cleanup_hook_handle /*hook*/, void* data) {
  auto* driver = static_cast<LoopDriver*>(data);
  driver->closed_ = true;
  while (driver->first_ != nullptr) driver->Unlink(*driver->first_);
  driver->open_handles_ = 1;
  uv_close(AsHandle(driver->prepare_), [](uv_handle_s* handle) { OnClosed(static_cast<LoopDriver*>(handle->data)); });
  if (driver->alarm_.handle() == nullptr) return;
  ++driver->open_handles_;
  uv_close(driver->alarm_.handle(),
           [](uv_handle_s* handle) { OnClosed(static_cast<LoopDriver*>(static_cast<Alarm*>(handle->data)->data())); });
}

void LoopDriver::OnClosed(LoopDriver* driver) {
  if (--driver->open_handles_ != 0) return;
  napi_remove_async_cleanup_hook(driver->hook_);
  driver->Unshare();
}

void LoopDriver::Unshare() {
  if (--shares_ == 0) delete this;
}

double LoopDriver::Now() const { return ToMs(Hrtime() - origin_); }

// The first nanosecond at which Now has reached `ms`.
std::uint64_t LoopDriver::HrtimeOf(double ms) const {
  // A far time would overflow. The loop wakes in vain once in a hundred years.
  constexpr double kFarthest = 3e12;
  const double time = std::min(ms, kFarthest);
  auto ns = static_cast<std::uint64_t>(time * static_cast<double>(kNsPerMs));
  // The product is cut off.
  while (ToMs(ns) < time) ++ns;
  return origin_ + ns;
}

std::uint32_t DrivenWheel::WantedHold() const {
  if (control(kReferenced) != 0) return kKeepsLoopAlive;
  return control(kUnreferenced) != 0 ? kRetained : kIdle;
}

void LoopDriver::Hold(DrivenWheel& wheel) { SetHeld(wheel, std::max(wheel.held_, wheel.WantedHold())); }

void LoopDriver::SetHeld(DrivenWheel& wheel, std::uint32_t held) {
  const std::uint32_t before = wheel.held_;
  if (closed_ || held == before) return;
  wheel.control(kHeld) = wheel.held_ = held;

  const bool keeps = held == kKeepsLoopAlive;
  if (keeps && keeping_++ == 0) uv_ref(AsHandle(prepare_));
  if (before == kKeepsLoopAlive && --keeping_ == 0) uv_unref(AsHandle(prepare_));

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
  if (wheel.held_ == kKeepsLoopAlive && --keeping_ == 0) uv_unref(AsHandle(prepare_));
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
  first_ = &wheel;
}

void LoopDriver::Unlink(DrivenWheel& wheel) {
  if (cursor_ == &wheel) cursor_ = wheel.next_;
  (wheel.previous_ != nullptr ? wheel.previous_->next_ : first_) = wheel.next_;
  if (wheel.next_ != nullptr) wheel.next_->previous_ = wheel.previous_;
  wheel.next_ = wheel.previous_ = nullptr;
  wheel.held_ = DrivenWheel::kIdle;
}

void LoopDriver::OnPrepare(uv_prepare_s* handle) { static_cast<LoopDriver*>(AsHandle(handle)->data)->Prepare(); }

void LoopDriver::OnAlarm(void* driver) { static_cast<LoopDriver*>(driver)->Ring(); }

double DrivenWheel::EndTurn(const LoopDriver& driver) {
  if (control(kQueued) != 0) core_.Apply(driver.Now());
  core_.BeginTurn();
  return more_ ? 0 : core_.FindWake();
}

void LoopDriver::Prepare() {
  double earliest = TimerWheel::kNever;
  for (DrivenWheel* wheel = first_; wheel != nullptr;) {
    DrivenWheel* const next = wheel->next_;
    earliest = std::min(earliest, wheel->EndTurn(*this));
    Settle(*wheel);
    wheel = next;
  }
  if (first_ == nullptr) uv_prepare_stop(prepare_);
  if (earliest == awaited_ && !alarm_.has_rung()) return;
  awaited_ = earliest;
  alarm_.Set(loop_, earliest == TimerWheel::kNever ? Alarm::kNever : HrtimeOf(earliest));
}

void LoopDriver::Ring() {
  // A callback may end the environment. The driver must outlive this function.
  Share();
  double now = Now();
  cursor_ = first_;
  while (cursor_ != nullptr && !closed_) {
    DrivenWheel& wheel = *cursor_;
    cursor_ = wheel.next_;
    if (!wheel.more_ && (wheel.core_.wake() > now || !wheel.Expire(now))) continue;
    wheel.more_ = false;
    const DrivenWheel::Outcome outcome = wheel.Dispatch(now);
    if (outcome == DrivenWheel::Outcome::kShutdown) break;
    // The wheel may have been closed, but not destroyed: Dispatch kept it.
    wheel.more_ = outcome == DrivenWheel::Outcome::kMore;
    // Now, not before the loop sleeps: the loop would go on for one more turn, and run timers that are due and have no
    // references.
    if (wheel.control(kReferenced) == 0) Settle(wheel);
    // The callbacks took time, and can have queued operations of the next wheel, which count from now.
    if (cursor_ != nullptr) now = Now();
  }
  cursor_ = nullptr;
  Unshare();
}

}  // namespace timeout_wheel
