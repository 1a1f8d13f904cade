// Code that differs between the levels only by numbers: WebAssembly, which pages load, has one copy of it that is given
// the numbers; the addon has one for each level, in which they are constants.
#pragma once

#ifdef __wasm__
#define TIMEOUT_WHEEL_ONE_COPY [[gnu::noinline]] inline
#else
#define TIMEOUT_WHEEL_ONE_COPY [[gnu::always_inline]] inline
#endif
