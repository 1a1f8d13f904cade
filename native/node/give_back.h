// Gives memory back to the system that stays mapped.
#pragma once

namespace timeout_wheel {

/// What the memory holds is lost, and it takes no room until it is written again. All of it may also stay as it is.
void GiveBack(void* begin, void* end);

}  // namespace timeout_wheel
