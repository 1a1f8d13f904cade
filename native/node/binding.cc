#include "binding.h"

#include <algorithm>
#include <cmath>

namespace timeout_wheel {
namespace {

void* AddressOf(napi_env env, napi_value words) {
  void* address = nullptr;
  napi_get_typedarray_info(env, words, nullptr, nullptr, &address, nullptr, nullptr);
  return address;
}

bool IsShared(napi_env env, napi_value words) {
  napi_value buffer = nullptr;
  bool is_plain = false;
  napi_get_typedarray_info(env, words, nullptr, nullptr, nullptr, &buffer, nullptr);
  napi_is_arraybuffer(env, buffer, &is_plain);
  return !is_plain;
}

double Real(napi_env env, napi_value value) {
  double result = 0;
  napi_get_value_double(env, value, &result);
  return result;
}

std::uint32_t Uint32(napi_env env, napi_value value) {
  std::uint32_t result = 0;
  napi_get_value_uint32(env, value, &result);
  return result;
}

std::uint64_t Uint64(napi_env env, napi_value value) {
  std::int64_t result = 0;
  napi_get_value_int64(env, value, &result);
  return static_cast<std::uint64_t>(result);
}

}  // namespace

Napi::Function Wheel::Define(Napi::Env env) {
  return DefineClass(env, "Wheel",
                     {
                         InstanceMethod<&Wheel::TakeSubmissions>("takeSubmissions"),
                         InstanceMethod<&Wheel::Advance>("advance"),
                         InstanceMethod<&Wheel::Extend>("extend"),
                         InstanceMethod<&Wheel::Hold>("hold"),
                         InstanceMethod<&Wheel::Close>("close"),
                     });
}

Wheel::Wheel(const Napi::CallbackInfo& info)
    : ObjectWrap(info),
      DrivenWheel(AddressOf(info.Env(), info[0]), Uint32(info.Env(), info[1]), Uint64(info.Env(), info[2])) {
  // While the environment is being terminated, nothing was wrapped.
  if (IsEmpty()) return;
  const napi_env env = info.Env();
  KeepMemory(info.This(), info[0], Uint32(env, info[1]));
  DefineOwn<&Wheel::OpenEpoch>(info.This(), "openEpoch");
  DefineOwn<&Wheel::CloseEpoch>(info.This(), "closeEpoch");
  DefineOwn<&Wheel::Expire>(info.This(), "expire");
  if (info[3].IsUndefined()) return;
  napi_set_named_property(env, info.This(), "client", info[3]);
  napi_set_named_property(env, info.This(), "dispatch", info[4]);
  napi_create_reference(env, info[3], 0, &client_);
  napi_create_reference(env, info[4], 0, &dispatch_);
  void* driver = nullptr;
  napi_get_instance_data(env, &driver);
  driver_ = static_cast<LoopDriver*>(driver);
  driver_->Share();
}

Wheel::~Wheel() {
  if (driver_ != nullptr) {
    driver_->Forget(*this);
    driver_->Unshare();
  }
  const napi_env env = Env();
  for (const napi_ref reference : {client_, dispatch_}) {
    if (reference != nullptr) napi_delete_reference(env, reference);
  }
  CountMemory(0);
}

template <auto kMethod>
void Wheel::DefineOwn(napi_value self, const char* name) {
  const napi_callback call = [](napi_env env, napi_callback_info info) -> napi_value {
    napi_value value = nullptr;
    std::size_t count = 1;
    void* wheel = nullptr;
    napi_get_cb_info(env, info, &count, &value, nullptr, &wheel);
    return (static_cast<Wheel*>(wheel)->*kMethod)(Arguments(&value, std::min(count, std::size_t{1})));
  };
  const napi_env env = Env();
  napi_value function = nullptr;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, call, this, &function) != napi_ok) return;
  // First, so that whoever has the function has the wheel.
  if (napi_set_named_property(env, function, "wheel", self) != napi_ok) return;
  napi_set_named_property(env, self, name, function);
}

void Wheel::KeepMemory(napi_value self, napi_value words, std::uint32_t blocks) {
  const napi_env env = Env();
  napi_set_named_property(env, self, "words", words);
  if (IsShared(env, words)) CountMemory(static_cast<std::int64_t>(kBaseBlocks + blocks) * kBlockBytes);
}

void Wheel::CountMemory(std::int64_t bytes) {
  std::int64_t counted = 0;
  napi_adjust_external_memory(Env(), bytes - counted_, &counted);
  counted_ = bytes;
}

double Wheel::Now(Arguments arguments) const {
  return arguments.empty() ? clock().TicksAt(uv_hrtime()) : Real(Env(), arguments[0]);
}

napi_value Wheel::OpenEpoch(Arguments arguments) {
  core().OpenEpoch(Now(arguments));
  return nullptr;
}

napi_value Wheel::CloseEpoch(Arguments arguments) {
  core().CloseEpoch(Now(arguments));
  return nullptr;
}

// In one call, because each call into the addon costs more than what it does here.
napi_value Wheel::Expire(Arguments arguments) {
  const double now = Now({});
  core().OpenEpoch(now);
  const double due = std::floor(now) + (core().IsTickDue() ? 1 : 0);
  const double advanced = Real(Env(), arguments[0]);
  const double target = std::max(advanced, std::min(due, advanced + double{kMaxAdvance}));
  AdvanceTo(target);
  napi_value result = nullptr;
  napi_create_double(Env(), target, &result);
  return result;
}

void Wheel::TakeSubmissions(const Napi::CallbackInfo& /*info*/) { core().TakeSubmissions(); }

Napi::Value Wheel::Advance(const Napi::CallbackInfo& info) {
  const std::uint32_t expired = AdvanceTo(Real(info.Env(), info[0]));
  napi_value result = nullptr;
  napi_create_uint32(info.Env(), expired, &result);
  return {info.Env(), result};
}

void Wheel::Extend(const Napi::CallbackInfo& info) {
  const std::uint32_t blocks = Uint32(info.Env(), info[1]);
  KeepMemory(info.This(), info[0], blocks);
  core().Attach(AddressOf(info.Env(), info[0]));
  core().Extend(blocks);
}

void Wheel::Hold(const Napi::CallbackInfo& info) {
  bool keeps_loop_alive = false;
  napi_get_value_bool(info.Env(), info[0], &keeps_loop_alive);
  if (driver_ != nullptr) driver_->Hold(*this, keeps_loop_alive);
}

void Wheel::Close(const Napi::CallbackInfo& /*info*/) {
  if (driver_ == nullptr) return;
  driver_->LetGo(*this);
  driver_->Unshare();
  driver_ = nullptr;
}

napi_value Wheel::ValueOf(napi_ref reference) const {
  napi_value value = nullptr;
  return napi_get_reference_value(Env(), reference, &value) == napi_ok ? value : nullptr;
}

void Wheel::EpochClosed() {
  const napi_env env = Env();
  const Napi::HandleScope handles(env);
  const napi_value client = ValueOf(client_);
  napi_value zero = nullptr;
  if (client == nullptr || napi_create_uint32(env, 0, &zero) != napi_ok) return;
  // N-API refuses this while the environment is being terminated. Then nothing reads the property any more.
  napi_set_named_property(env, client, "epochEnd", zero);
}

// Calls `dispatch` within an async scope without a resource of its own, so async hooks see none. Node runs its timers
// the same way. AsyncLocalStorage.enterWith stores into the receiver of the call, so each call has a new one, and
// nothing outlives the call.
DrivenWheel::Outcome Wheel::Dispatch() {
  const Napi::Env env = Env();
  const Napi::HandleScope handles(env);
  // This handle holds the client, and the client holds this object and the memory, even if a callback closes the wheel.
  const napi_value dispatch = ValueOf(dispatch_);
  napi_value receiver = nullptr;
  while (dispatch != nullptr && napi_create_object(env, &receiver) == napi_ok) {
    napi_value result = nullptr;
    napi_value error = nullptr;
    control(kDispatched) = kUnknown;
    const napi_status status = napi_make_callback(env, nullptr, receiver, dispatch, 0, nullptr, &result);
    if (status == napi_ok) {
      bool more = false;
      napi_get_value_bool(env, result, &more);
      return more ? Outcome::kMore : Outcome::kDone;
    }
    // Either a callback has thrown, whose timer is done, or the next ticks and microtasks of the last callback have. Or
    // no JavaScript runs any more, and there is no exception to report.
    if (status != napi_pending_exception || napi_get_and_clear_last_exception(env, &error) != napi_ok ||
        error == nullptr || napi_fatal_exception(env, error) != napi_ok) {
      break;
    }
    if (control(kDispatched) != kUnknown) return control(kDispatched) == kMore ? Outcome::kMore : Outcome::kDone;
  }
  return Outcome::kShutdown;
}

}  // namespace timeout_wheel
