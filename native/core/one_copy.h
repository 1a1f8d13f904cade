// WebAssembly, which pages load, is made small: of code that differs between the levels only by numbers it has one copy
// that is given the numbers, and of two ways to do a thing not the quicker one for the usual case. The addon has a copy
// for each level, in which the numbers are constants.
#pragma once

namespace timeout_wheel {

#ifdef __wasm__
inline constexpr bool kOneCopy = true;
#define TIMEOUT_WHEEL_ONE_COPY [[gnu::noinline]] inline
// What is called from one place, as there is one copy of that: a call would only add to it.
#define TIMEOUT_WHEEL_ONE_CALLER [[gnu::always_inline]] inline
#else
inline constexpr bool kOneCopy = false;
#define TIMEOUT_WHEEL_ONE_COPY [[gnu::always_inline]] inline
#define TIMEOUT_WHEEL_ONE_CALLER inline
#endif

}  // namespace timeout_wheel
