// Checks everything that must hold between two operations of a wheel; DESIGN.md lists it. O(entries + records).
#pragma once

#include <cstdint>
#include <string>

#include "../timer_wheel.h"

namespace timeout_wheel {

/// Returns an empty text if all invariants hold, else the first broken one with its operands. `used` is the number of
/// records handed out.
std::string BrokenInvariant(const TimerWheel& wheel, std::uint32_t used);

}  // namespace timeout_wheel
