// The wheel of native/core, with memory that grows by an eighth, as in lib/memory/core.ts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../design.h"
#include "arena.h"
#include "core/layout.h"
#include "core/memory.h"
#include "core/testing/submitter.h"
#include "core/timer_wheel.h"

namespace timeout_wheel::bench {

class Ours {
 public:
  using Handle = Unit;
  static constexpr Traits kTraits{.name = "ours"};

  explicit Ours(std::size_t capacity)
      : most_blocks_(static_cast<std::uint32_t>(capacity / kRecordsPerBlock * 2) + 16),
        arena_((kBaseBlocks + std::size_t{most_blocks_}) * kBlockBytes),
        memory_(arena_.address()),
        wheel_(arena_.address(), 1),
        submitter_(wheel_, 1) {
    wheel_.Advance(0);
  }

  Handle Schedule(Tick deadline) {
    if (submitter_.full()) Grow();
    return submitter_.Schedule(deadline);
  }
  void Cancel(Handle handle) { submitter_.Cancel(handle); }
  Handle Reschedule(Handle handle, Tick deadline) {
    submitter_.Reschedule(handle, deadline);
    return handle;
  }

  /// One bounded part of an advance, after which a host may do other work. Returns false if more is left.
  template <class F>
  bool AdvancePart(Tick now, F&& expired) {
    const std::uint32_t count = wheel_.Advance(now);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Unit unit = memory_.expiration(i);
      // An earlier callback may have cancelled or rescheduled the timer, or reused its record.
      const Tick deadline = memory_.record(unit).deadline;
      if (deadline == kNever || Before(now, deadline)) continue;
      submitter_.Cancel(unit);
      expired(unit);
    }
    memory_.word(kExpired) = 0;
    return memory_.word(kUnfinished) == 0;
  }
  template <class F>
  void Advance(Tick now, F&& expired) {
    while (!AdvancePart(now, expired)) {
    }
  }

  Tick NextExpiry() {
    if (memory_.word(kSubmitted) != 0) wheel_.TakeSubmissions();
    return memory_.word(kArmed) != 0 ? memory_.word(kWake) : kNoExpiry;
  }
  void Settle() { wheel_.TakeSubmissions(); }

  std::size_t Bytes() const { return arena_.Resident() + submitter_.bytes() + sizeof(*this); }

 private:
  void Grow() {
    blocks_ = std::min(blocks_ + std::max(1U, blocks_ / 8), most_blocks_);
    wheel_.Extend(blocks_);
    submitter_.Extend(blocks_);
  }

  std::uint32_t most_blocks_;
  std::uint32_t blocks_ = 1;
  Arena arena_;
  Memory memory_;
  TimerWheel wheel_;
  Submitter submitter_;
};

}  // namespace timeout_wheel::bench
