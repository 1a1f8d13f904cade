// The core as WebAssembly: one wheel per instance, whose shared memory is the linear memory. The stack and the core's
// own data lie in it, between the chunks of the base and the first block. The module imports nothing. JavaScript grows
// the memory.
//
// The names are short because pages load them twice: here and in the callers. lib/memory/instantiate-wasm.ts declares
// them.
#include <cstddef>
#include <cstdint>
#include <new>

#include "../native/core/timer_wheel.h"

using timeout_wheel::TimerWheel;

static_assert((timeout_wheel::kBaseChunksWord + timeout_wheel::kChunksInBase * timeout_wheel::kChunkWords) *
                  sizeof(std::uint32_t) <=
              TIMEOUT_WHEEL_DATA_ADDRESS);

namespace {
alignas(TimerWheel) std::byte storage[sizeof(TimerWheel)];
TimerWheel& wheel() { return *std::launder(reinterpret_cast<TimerWheel*>(storage)); }
}  // namespace

#define WASM_EXPORT(name) extern "C" __attribute__((export_name(name)))

// No function has a frame in the linear memory. An engine that interrupts a call would not restore the stack pointer,
// and many interruptions would use up the stack. .tooling/build.mjs checks that there is no stack pointer.

// The linker needs an entry of this name. There is nothing to initialise.
WASM_EXPORT("_initialize") void _initialize() {}

WASM_EXPORT("open") void Open(std::uint32_t blocks, double ticks_per_ms) {
  new (storage) TimerWheel(reinterpret_cast<void*>(TIMEOUT_WHEEL_MEMORY_ADDRESS), blocks, ticks_per_ms);
}
WASM_EXPORT("extend") void Extend(std::uint32_t blocks) { wheel().Extend(blocks); }
WASM_EXPORT("apply") void Apply(double now) { wheel().Apply(now); }
WASM_EXPORT("expire") std::uint32_t Expire(double now) { return wheel().Expire(now); }
WASM_EXPORT("resume") std::uint32_t Resume(double now) { return wheel().Resume(now); }
WASM_EXPORT("turn") double EndTurn(double now) {
  wheel().Apply(now);
  wheel().BeginTurn();
  return wheel().FindWake();
}
