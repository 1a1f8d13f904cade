// The class `Wheel` of the addon: one core in memory that JavaScript owns, and its connection to the event loop.
//
//   new Wheel(words, blocks, ticksPerMs, client?)
//                                     `client`: lib/node/host/platform.ts. Without it, the wheel is never woken
//   apply() expire() resume()         at the time of the loop's clock; without a client, at the time in kClock
//   readClock()                       writes kClock
//   endTurn()                         applies the queue, and writes the next wake-up into kWake
//   hold() release()                  let the loop live as long as timers have references
//   extend(words, blocks)             returns true; nothing if the program is being stopped, and N-API does not call it
//   close()
//
// lib/memory/native-core.ts is the only caller, and passes the declared types. So nothing is validated and nothing
// thrown.
#pragma once

// A worker may be terminated while it runs one of these methods. Then N-API refuses to unwrap the object, and also
// refuses the exception that node-addon-api throws for that. Without this definition the refusal ends the whole
// process.
#define NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS
#include <napi.h>

#include <atomic>

#include "loop_driver.h"

namespace timeout_wheel {

class Wheel final : public Napi::ObjectWrap<Wheel>, private DrivenWheel {
 public:
  static Napi::Function Define(Napi::Env env);

  /// For ObjectWrap. Only JavaScript calls it.
  explicit Wheel(const Napi::CallbackInfo& info);
  ~Wheel() override;
  Wheel(const Wheel&) = delete;
  Wheel& operator=(const Wheel&) = delete;

 private:
  void Apply();
  void ReadClock();
  void Expire(const Napi::CallbackInfo& info);
  void Resume(const Napi::CallbackInfo& info);
  void EndTurn(const Napi::CallbackInfo& info);
  Napi::Value Extend(const Napi::CallbackInfo& info);
  void Hold(const Napi::CallbackInfo& info);
  void Release(const Napi::CallbackInfo& info);
  void Close(const Napi::CallbackInfo& info);

  /// The loop's clock. A wheel without a place on the loop has the time that JavaScript has written.
  double Now() const;
  /// Defines a method that is called often as a function of this object alone. To find out which wheel an object wraps
  /// takes longer than most of these methods. It does not keep the object alive: its caller must.
  template <auto kMethod>
  void DefineOwn(napi_value self, const char* name);
  bool KeepMemory(napi_value self, napi_value words, std::uint32_t blocks);
  void CountMemory(std::int64_t bytes);
  /// The value of a reference. Null if it is gone or no JavaScript runs any more. Call it within a handle scope.
  napi_value ValueOf(napi_ref reference) const;
  enum class Called { kReturned, kThrew, kShutdown };
  Called Call(napi_value function, std::size_t count, const napi_value* arguments) const;

  // DrivenWheel
  void Retain() override { Ref(); }
  void Release() override { Unref(); }
  Outcome Dispatch(double started) override;

  // The first wheel of the process, as a rule the shared one of its main thread. Its functions find it here. Those of
  // other wheels ask N-API for their wheel, which takes a twentieth of a call.
  static inline std::atomic<Wheel*> first_ = nullptr;

  LoopDriver* driver_ = nullptr;
  // The bytes of memory reported to V8, which does not count shared memory by itself. The JavaScript object holds the
  // memory. A reference from here would hold the memory's realm, and with it the wheel, forever. So the memory may be
  // freed a little before the core. The core no longer reads it then: the driver looks only at retained wheels.
  std::int64_t counted_ = 0;
  // A weak reference. The JavaScript object holds the function, and is itself held while the wheel is retained.
  napi_ref dispatch_ = nullptr;
};

}  // namespace timeout_wheel
