// Registers the addon. It has no globals but Wheel::first_: the main thread, workers, and several copies of the file
// share nothing else.
#include "../core/layout.h"
#include "binding.h"
#include "loop_driver.h"

namespace timeout_wheel {
namespace {

// lib/memory/layout.ts compares its layout with this one.
Napi::Value LayoutAt(const Napi::CallbackInfo& info) {
  const napi_env env = info.Env();
  std::uint32_t i = 0;
  napi_get_value_uint32(env, info[0], &i);
  napi_value result = nullptr;
  napi_create_uint32(env, i < kLayout.size() ? kLayout[i] : 0, &result);
  return {env, result};
}

// Reports an uncaught exception as Node does, within the async scope in which it was thrown: Node then clears its stack
// of async ids. Returns if something has taken the error. Otherwise Node ends the process or the worker here.
Napi::Value Report(const Napi::CallbackInfo& info) {
  napi_fatal_exception(info.Env(), info[0]);
  return {};
}

void DropDriver(napi_env /*env*/, void* driver, void* /*hint*/) { static_cast<LoopDriver*>(driver)->Unshare(); }

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  LoopDriver* const driver = LoopDriver::Open(env);
  if (driver == nullptr) {
    napi_throw_error(env, nullptr, "the environment has no event loop");
    return exports;
  }
  napi_set_instance_data(env, driver, DropDriver, nullptr);
  exports.Set("Wheel", Wheel::Define(env));
  exports.Set("layoutAt", Napi::Function::New<LayoutAt>(env, "layoutAt"));
  exports.Set("report", Napi::Function::New<Report>(env, "report"));
  return exports;
}

}  // namespace
}  // namespace timeout_wheel

// The macro needs a function in the global namespace.
static Napi::Object Init(Napi::Env env, Napi::Object exports) { return timeout_wheel::Init(env, exports); }
NODE_API_MODULE(timeout_wheel, Init)
