// The wheel of native/core, with memory that grows by an eighth, as in lib/memory/core.ts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "../design.h"
#include "arena.h"
#include "core/layout.h"
#include "core/memory.h"
#include "core/testing/client.h"
#include "core/timer_wheel.h"

namespace timeout_wheel::bench {

class Ours {
 public:
  using Handle = Unit;
  static constexpr Traits kTraits{.name = "ours"};

  explicit Ours(std::size_t capacity)
      : most_blocks_(static_cast<std::uint32_t>(capacity / kRecordsPerBlock * 2) + 16),
        arena_(kBaseBytes + std::size_t{most_blocks_} * kBlockBytes),
        memory_(arena_.address()),
        wheel_(arena_.address(), 1, 1),
        client_(wheel_, 1, [this] { return now_; }) {}

  Handle Schedule(Tick deadline) {
    if (client_.full()) Grow();
    return client_.Set(DelayTo(deadline));
  }
  void Cancel(Handle handle) { client_.Cancel(handle); }
  Handle Reschedule(Handle handle, Tick deadline) {
    client_.Move(handle, DelayTo(deadline));
    return handle;
  }

  /// One bounded part of an advance, after which a host may do other work. Returns false if more is left.
  template <class F>
  bool AdvancePart(Tick now, F&& expired) {
    // A delay counts from the time at which it is applied.
    Settle();
    now_ = now;
    if (memory_.word(kUnfinished) != 0) {
      wheel_.Resume(now_);
    } else {
      wheel_.Expire(now_);
    }
    client_.Dispatch(expired);
    return memory_.word(kUnfinished) == 0;
  }
  template <class F>
  void Advance(Tick now, F&& expired) {
    while (!AdvancePart(now, expired)) {
    }
  }

  Tick NextExpiry() {
    Settle();
    return static_cast<Tick>(std::ceil(std::min<double>(wheel_.FindWake(), kNoExpiry)));
  }
  void Settle() {
    if (memory_.word(kQueued) != 0) wheel_.Apply(now_);
  }

  std::size_t Bytes() const { return arena_.Resident() + client_.bytes() + sizeof(*this); }

 private:
  // The clock stands still between two advances.
  double DelayTo(Tick deadline) const { return std::max(0.0, deadline - now_); }

  void Grow() {
    blocks_ = std::min(blocks_ + std::max(1U, blocks_ / 8), most_blocks_);
    wheel_.Extend(blocks_);
    client_.Extend(blocks_);
  }

  std::uint32_t most_blocks_;
  std::uint32_t blocks_ = 1;
  double now_ = 0;
  Arena arena_;
  Memory memory_;
  TimerWheel wheel_;
  Client client_;
};

}  // namespace timeout_wheel::bench
