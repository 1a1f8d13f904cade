// The list of the designs, and the loop of a row without timers.
#pragma once

#include "kafka_wheel.h"
#include "lazy_heap.h"
#include "linux_wheel.h"
#include "netty_wheel.h"
#include "ours.h"
#include "slot_heaps.h"
#include "tokio_wheel.h"

namespace timeout_wheel::bench {

/// No timers: the cost of the loop of a row, which is in the figure of each design.
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
};

/// `More` is Nothing for rows in which no timer expires.
template <template <class...> class List, class... More>
using AllDesigns = List<More..., Ours, TokioWheel, NettyWheel, KafkaWheel, SlotHeaps, LinuxWheel, LazyHeap>;

}  // namespace timeout_wheel::bench
