// The addon is compiled for speed, WebAssembly for size, because pages load it.
//
// Code that differs between the levels only by numbers exists once in WebAssembly and takes the numbers as arguments.
// The addon has a copy for each level, in which the numbers are constants. Paths that only make a usual case faster are
// left out of WebAssembly.
#pragma once

namespace timeout_wheel {

#ifdef __wasm__
inline constexpr bool kOptimizeForSize = true;
// For a function with several callers: inlined for speed, never for size.
#define TIMEOUT_WHEEL_INLINE_FOR_SPEED [[gnu::noinline]] inline
// For a function with one caller in the size profile: there a call would only add code.
#define TIMEOUT_WHEEL_INLINE_FOR_SIZE [[gnu::always_inline]] inline
#else
inline constexpr bool kOptimizeForSize = false;
#define TIMEOUT_WHEEL_INLINE_FOR_SPEED [[gnu::always_inline]] inline
#define TIMEOUT_WHEEL_INLINE_FOR_SIZE inline
#endif

}  // namespace timeout_wheel
