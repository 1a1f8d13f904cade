// The class `Wheel` of the addon: one core over memory that JavaScript owns, and its place on the event loop.
//
//   new Wheel(words, blocks, tickMs, client?)    without a client it is never woken and reads no clock by itself
//   openEpoch(now?) closeEpoch(now?)               in ticks; the loop's clock where it is left out
//   takeSubmissions() isTickDue() advance(target) extend(words, blocks) renew(words, tick) hold(keepsLoopAlive) close()
//
// lib/backend/native.ts is its one caller and passes what is declared here: nothing is validated again, nothing thrown.
#pragma once

// A worker may be told to terminate while it runs one of these methods: N-API then refuses to unwrap the object, and
// refuses the exception that node-addon-api would throw for it as well, which without this ends the whole process.
#define NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS
#include <napi.h>

#include "loop_driver.h"

namespace timeout_wheel {

class Wheel final : public Napi::ObjectWrap<Wheel>, private DrivenWheel {
 public:
  static Napi::Function Define(Napi::Env env);

  /// For ObjectWrap; call it from JavaScript.
  explicit Wheel(const Napi::CallbackInfo& info);
  ~Wheel() override;
  Wheel(const Wheel&) = delete;
  Wheel& operator=(const Wheel&) = delete;

 private:
  void OpenEpoch(const Napi::CallbackInfo& info);
  void CloseEpoch(const Napi::CallbackInfo& info);
  void TakeSubmissions(const Napi::CallbackInfo& info);
  Napi::Value IsTickDue(const Napi::CallbackInfo& info);
  Napi::Value Advance(const Napi::CallbackInfo& info);
  void Extend(const Napi::CallbackInfo& info);
  void Renew(const Napi::CallbackInfo& info);
  void Hold(const Napi::CallbackInfo& info);
  void Close(const Napi::CallbackInfo& info);

  double Now(const Napi::CallbackInfo& info) const;
  void KeepMemory(napi_value self, napi_value words, std::uint32_t blocks);
  void CountMemory(std::int64_t bytes);
  /// Null where it is gone, or no JavaScript runs any more. Call it within a handle scope.
  napi_value Client() const;

  // DrivenWheel
  void Retain() override { Ref(); }
  void Release() override { Unref(); }
  Outcome Dispatch() override;
  static napi_value Run(napi_env env, napi_callback_info info);
  void CallClient();
  void EpochClosed() override;
  void Trim() override;

  // Null: not on the loop.
  LoopDriver* driver_ = nullptr;
  // What V8 has been told of the memory: it counts no shared memory by itself. The JavaScript object holds it: a
  // reference from here would hold the realm that it is of, and by that the wheel, for good. It may go a little before
  // the core, which reads it no more then: the driver looks at retained wheels only.
  std::int64_t counted_ = 0;
  // Of the last call of `Run`.
  Outcome outcome_ = Outcome::kDone;
  // Weak: the JavaScript object holds the client, and is itself held while the wheel is retained.
  napi_ref client_ = nullptr;
};

}  // namespace timeout_wheel
