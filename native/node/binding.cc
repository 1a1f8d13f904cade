#include "binding.h"

namespace timeout_wheel {
namespace {

void* AddressOf(napi_env env, napi_value words) {
  void* address = nullptr;
  napi_get_typedarray_info(env, words, nullptr, nullptr, &address, nullptr, nullptr);
  return address;
}

}  // namespace

Napi::Function Wheel::Define(Napi::Env env) {
  return DefineClass(env, "Wheel",
                     {
                         InstanceMethod<&Wheel::Expire>("expire"),
                         InstanceMethod<&Wheel::Resume>("resume"),
                         InstanceMethod<&Wheel::EndTurn>("endTurn"),
                         InstanceMethod<&Wheel::Extend>("extend"),
                         InstanceMethod<&Wheel::Hold>("hold"),
                         InstanceMethod<&Wheel::Release>("release"),
                         InstanceMethod<&Wheel::Close>("close"),
                     });
}

Wheel::Wheel(const Napi::CallbackInfo& info)
    : ObjectWrap(info),
      DrivenWheel(AddressOf(info.Env(), info[0]), info[1].As<Napi::Number>().Uint32Value(),
                  info[2].As<Napi::Number>().DoubleValue()) {
  // While the environment is being terminated, nothing was wrapped.
  if (IsEmpty()) return;
  const napi_env env = info.Env();
  void* driver = nullptr;
  napi_get_instance_data(env, &driver);
  driver_ = static_cast<LoopDriver*>(driver);
  driver_->Share();
  KeepMemory(info.This(), info[0], info[1].As<Napi::Number>().Uint32Value());
  Wheel* none = nullptr;
  first_.compare_exchange_strong(none, this);
  DefineOwn<&Wheel::Apply>(info.This(), "apply");
  DefineOwn<&Wheel::ReadClock>(info.This(), "readClock");
  if (info[3].IsUndefined()) return;
  napi_set_named_property(env, info.This(), "client", info[3]);
  napi_create_reference(env, info[3].As<Napi::Object>().Get("dispatch"), 0, &dispatch_);
}

Wheel::~Wheel() {
  if (driver_ != nullptr) {
    driver_->Forget(*this);
    driver_->Unshare();
  }
  if (dispatch_ != nullptr) napi_delete_reference(Env(), dispatch_);
  CountMemory(0);
  Wheel* self = this;
  first_.compare_exchange_strong(self, nullptr);
}

template <auto kMethod>
void Wheel::DefineOwn(napi_value self, const char* name) {
  const napi_callback of_first = [](napi_env, napi_callback_info) -> napi_value {
    (first_.load(std::memory_order_relaxed)->*kMethod)();
    return nullptr;
  };
  const napi_callback of_any = [](napi_env env, napi_callback_info info) -> napi_value {
    void* wheel = nullptr;
    napi_get_cb_info(env, info, nullptr, nullptr, nullptr, &wheel);
    (static_cast<Wheel*>(wheel)->*kMethod)();
    return nullptr;
  };
  const napi_callback call = first_ == this ? of_first : of_any;
  const napi_env env = Env();
  napi_value function = nullptr;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, call, this, &function) != napi_ok) return;
  napi_set_named_property(env, self, name, function);
}

bool Wheel::KeepMemory(napi_value self, napi_value words, std::uint32_t blocks) {
  const napi_env env = Env();
  if (napi_set_named_property(env, self, "words", words) != napi_ok) return false;
  if (!Napi::TypedArray(env, words).ArrayBuffer().IsArrayBuffer())
    CountMemory(kBaseBytes + static_cast<std::int64_t>(blocks) * kBlockBytes);
  return true;
}

void Wheel::CountMemory(std::int64_t bytes) {
  std::int64_t counted = 0;
  napi_adjust_external_memory(Env(), bytes - counted_, &counted);
  counted_ = bytes;
}

double Wheel::Now() const { return dispatch_ != nullptr ? driver_->Now() : core().store().memory().real(kClock); }

void Wheel::Apply() {
  core().Apply(Now());
  if (dispatch_ != nullptr && control(kHeld) != kKeepsLoopAlive) driver_->Hold(*this);
}

void Wheel::Expire(const Napi::CallbackInfo& /*info*/) { core().Expire(Now()); }

void Wheel::Resume(const Napi::CallbackInfo& /*info*/) { core().Resume(Now()); }

void Wheel::ReadClock() { core().store().memory().set_real(kClock, Now()); }

void Wheel::EndTurn(const Napi::CallbackInfo& /*info*/) {
  core().Apply(Now());
  core().BeginTurn();
  core().FindWake();
}

Napi::Value Wheel::Extend(const Napi::CallbackInfo& info) {
  const std::uint32_t blocks = info[1].As<Napi::Number>().Uint32Value();
  const bool is_kept = KeepMemory(info.This(), info[0], blocks);
  if (is_kept) {
    core().Attach(AddressOf(info.Env(), info[0]));
    core().Extend(blocks);
  }
  return Napi::Boolean::New(info.Env(), is_kept);
}

void Wheel::Hold(const Napi::CallbackInfo& /*info*/) { driver_->Hold(*this); }

void Wheel::Release(const Napi::CallbackInfo& /*info*/) { driver_->Settle(*this); }

void Wheel::Close(const Napi::CallbackInfo& /*info*/) { driver_->LetGo(*this); }

napi_value Wheel::ValueOf(napi_ref reference) const {
  napi_value value = nullptr;
  return napi_get_reference_value(Env(), reference, &value) == napi_ok ? value : nullptr;
}

// Calls a function within an async scope without a resource, so async hooks see none, as Node calls its timers.
// AsyncLocalStorage.enterWith stores into the receiver of the call, so each call has a new one.
Wheel::Called Wheel::Call(napi_value function, std::size_t count, const napi_value* arguments) const {
  const napi_env env = Env();
  napi_value receiver = nullptr;
  napi_value error = nullptr;
  if (napi_create_object(env, &receiver) != napi_ok) return Called::kShutdown;
  const napi_status status = napi_make_callback(env, nullptr, receiver, function, count, arguments, nullptr);
  if (status == napi_ok) return Called::kReturned;
  // Either a callback has thrown, or the next ticks and microtasks of the last one. Or no JavaScript runs any more.
  const bool has_thrown =
      status == napi_pending_exception && napi_get_and_clear_last_exception(env, &error) == napi_ok && error != nullptr;
  return has_thrown && napi_fatal_exception(env, error) == napi_ok ? Called::kThrew : Called::kShutdown;
}

DrivenWheel::Outcome Wheel::Dispatch(double started) {
  const Napi::HandleScope handles(Env());
  // This handle holds the kernel, and the kernel holds this object and the memory, even if a callback closes the wheel.
  const napi_value dispatch = ValueOf(dispatch_);
  for (; dispatch != nullptr; started = Now()) {
    control(kInSlice) = 1;
    const Called called = Call(dispatch, 0, nullptr);
    if (called == Called::kShutdown) break;
    control(kInSlice) = 0;
    const double took = Now() - started;
    if (took >= core().store().memory().real(kLongSlice)) {
      const auto client = Value().Get("client").As<Napi::Object>();
      const napi_value argument = Napi::Number::New(Env(), took);
      Call(client.Get("ended"), 1, &argument);
    }
    // If something was thrown, the rest runs in the same turn.
    if (called == Called::kReturned) {
      return control(kExpired) != 0 || control(kUnfinished) != 0 ? Outcome::kMore : Outcome::kDone;
    }
  }
  return Outcome::kShutdown;
}

}  // namespace timeout_wheel
