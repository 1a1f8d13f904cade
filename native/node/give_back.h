// Gives memory back to the system. The memory stays mapped.
#pragma once

namespace timeout_wheel {

/// The contents may be lost, and the memory may take no room until it is written again. Both may also not happen.
void GiveBack(void* begin, void* end);

}  // namespace timeout_wheel
