#include "give_back.h"

#ifdef __linux__

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace timeout_wheel {

void GiveBack(void* begin, void* end) {
  const auto alignment = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(begin) + alignment - 1) / alignment * alignment;
  const std::uintptr_t last = reinterpret_cast<std::uintptr_t>(end) / alignment * alignment;
  // The system refuses this for locked memory, which then stays as it is.
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace timeout_wheel

#else

namespace timeout_wheel {

void GiveBack(void* /*begin*/, void* /*end*/) {}

}  // namespace timeout_wheel

#endif
