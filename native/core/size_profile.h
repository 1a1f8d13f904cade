// WebAssembly, which pages load, is made small: of code that differs between the levels only by numbers it has one copy
// that is given the numbers, and of two ways to do a thing not the quicker one for the usual case. The addon has a copy
// for each level, in which the numbers are constants.
#pragma once

namespace timeout_wheel {

#ifdef __wasm__
inline constexpr bool kOptimizeForSize = true;
#define TIMEOUT_WHEEL_INLINE_FOR_SPEED [[gnu::noinline]] inline
// What is called from one place, as there is one copy of that: a call would only add to it.
#define TIMEOUT_WHEEL_INLINE_FOR_SIZE [[gnu::always_inline]] inline
#else
inline constexpr bool kOptimizeForSize = false;
#define TIMEOUT_WHEEL_INLINE_FOR_SPEED [[gnu::always_inline]] inline
#define TIMEOUT_WHEEL_INLINE_FOR_SIZE inline
#endif

}  // namespace timeout_wheel
