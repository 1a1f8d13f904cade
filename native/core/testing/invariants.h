// Checks of everything that must hold between two operations of a wheel. For tests: O(entries + records).
#pragma once

#include <cstdint>
#include <string>

#include "../timer_wheel.h"

namespace timeout_wheel {

/// Empty where all invariants hold, else what is wrong, with every operand. `used` records have been handed out.
std::string BrokenInvariant(const TimerWheel& wheel, std::uint32_t used);

}  // namespace timeout_wheel
