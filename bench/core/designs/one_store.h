// No wheel: each operation only writes one word of 4 bytes in the record of the timer. A design that keeps a deadline
// for each timer cannot do less, so this is the bound of all designs on the machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "../design.h"
#include "arena.h"
#include "core/record.h"

namespace timeout_wheel::bench {

class OneStore {
 public:
  using Handle = std::uint32_t;
  static constexpr Traits kTraits{.name = "one-store", .exact = false, .fifo = false};

  explicit OneStore(std::size_t capacity)
      : records_(static_cast<std::uint32_t>(std::bit_ceil(capacity + 1))),
        arena_(records_ * sizeof(Tick)),
        deadlines_(static_cast<Tick*>(arena_.address())) {}

  /// Takes the records in turn, without a check that they are free.
  Handle Schedule(Tick deadline) {
    const Handle handle = next_++ & (records_ - 1);
    deadlines_[handle] = deadline;
    return handle;
  }
  void Cancel(Handle handle) { deadlines_[handle] = kNever; }
  Handle Reschedule(Handle handle, Tick deadline) {
    deadlines_[handle] = deadline;
    return handle;
  }
  template <class F>
  void Advance(Tick, F&&) {}
  Tick NextExpiry() const { return kNoExpiry; }
  void Settle() {}
  std::size_t Bytes() const { return records_ * sizeof(Tick); }
  std::size_t IndexOf(Handle handle) const { return handle; }

 private:
  std::uint32_t records_;
  Arena arena_;
  Tick* deadlines_;
  Handle next_ = 0;
};

static_assert(Design<OneStore>);

}  // namespace timeout_wheel::bench
