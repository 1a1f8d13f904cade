// No timers: the cost of the loop of a part, which is in the figure of each design.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../design.h"

namespace timeout_wheel::bench {

class Nothing {
 public:
  using Handle = std::uint32_t;
  static constexpr Traits kTraits{.name = "nothing", .exact = false, .fifo = false};

  explicit Nothing(std::size_t) {}

  Handle Schedule(Tick deadline) { return deadline; }
  void Cancel(Handle) {}
  Handle Reschedule(Handle, Tick deadline) { return deadline; }
  template <class F>
  void Advance(Tick, F&&) {}
  Tick NextExpiry() const { return kNoExpiry; }
  void Settle() {}
  std::size_t Bytes() const { return 0; }
  std::size_t IndexOf(Handle handle) const { return handle; }
};

static_assert(Design<Nothing>);

}  // namespace timeout_wheel::bench
