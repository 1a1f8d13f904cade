// The model test on a core that stops at small bounds, so that programs with few timers meet them.
#define timeout_wheel small_bounds
#define TIMEOUT_WHEEL_SMALL_BOUNDS
#define MODEL ModelWithSmallBounds
#include "core/testing/invariants.cc"
#include "core/timer_wheel.cc"
#include "model/checked_wheel.cc"
#include "model/program.cc"
#include "model_test.cc"
