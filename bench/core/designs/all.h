// The list of the designs.
#pragma once

#include "kafka_wheel.h"
#include "lazy_heap.h"
#include "linux_wheel.h"
#include "netty_wheel.h"
#include "nothing.h"
#include "ours.h"
#include "slot_heaps.h"
#include "tokio_wheel.h"

namespace timeout_wheel::bench {

template <template <class...> class List, class... More>
using DesignsAnd = List<More..., Ours, TokioWheel, NettyWheel, KafkaWheel, SlotHeaps, LinuxWheel, LazyHeap>;

template <template <class...> class List>
using AllDesigns = DesignsAnd<List>;
/// With the loop alone, for rows in which no timer expires.
template <template <class...> class List>
using AllAndNothing = DesignsAnd<List, Nothing>;

}  // namespace timeout_wheel::bench
