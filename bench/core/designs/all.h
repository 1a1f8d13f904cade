// The list of the designs. libuv is left out if its static library is not installed.
#pragma once

#include "binary_heap.h"
#include "folly_wheel.h"
#include "kafka_wheel.h"
#include "lazy_heap.h"
#include "linux_wheel.h"
#include "netty_wheel.h"
#include "nothing.h"
#include "one_store.h"
#include "ordered_map.h"
#include "ours.h"
#include "ring_wheel.h"
#include "slot_heaps.h"
#include "tokio_wheel.h"
#ifdef TIMEOUT_WHEEL_HAS_LIBUV
#include "libuv.h"
#endif

namespace timeout_wheel::bench {

template <template <class...> class List, class... More>
using DesignsAnd = List<More..., Ours, TokioWheel, FollyWheel, RingWheel, NettyWheel, KafkaWheel, SlotHeaps, LinuxWheel,
                        BinaryHeap, LazyHeap, OrderedMap
#ifdef TIMEOUT_WHEEL_HAS_LIBUV
                        ,
                        Libuv
#endif
                        >;

template <template <class...> class List>
using AllDesigns = DesignsAnd<List>;
/// With the two bounds, for parts in which no timer expires.
template <template <class...> class List>
using AllAndNothing = DesignsAnd<List, Nothing, OneStore>;

}  // namespace timeout_wheel::bench
