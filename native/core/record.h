// One timer, as JavaScript and C++ share it.
//
//   0          4          8          12         16 bytes
//   +----------+----------+----------+----------+
//   | deadline | filed    | order    |generation|
//   +----------+----------+----------+----------+
//
// deadline    the tick at which the timer is due; kNever: cancelled or free
// filed       the first tick of the slot that holds the record's valid entry; kNone: no entry;
//             kQueued: its unit is in the submissions. JavaScript writes kQueued, and kNone into a fresh record, one
//             that was never used.
//             C++ writes all other values.
// order       the number of the operation that set the deadline: timers of one tick run in this order.
//             While the record is free, JavaScript keeps the next free record's unit here.
// generation  counts the uses of the record. It is part of ids, because a program may keep an old id. Only JavaScript
//             reads and writes it. On Node it is odd while a timer with an id uses the record. In a page it counts each
//             timer that ends.
#pragma once

#include <cstddef>
#include <cstdint>

namespace timeout_wheel {

/// Ticks wrap at 2^32. Two ticks are compared by their difference, which must be below 2^31.
using Tick = std::uint32_t;
/// Names a record by its offset in the memory, divided by 16 bytes.
using Unit = std::uint32_t;

struct Record {
  Tick deadline;
  Tick filed;
  std::uint32_t order;
  std::uint32_t generation;
};
// Its words, for JavaScript.
inline constexpr std::uint32_t kDeadline = 0;
inline constexpr std::uint32_t kFiled = 1;
inline constexpr std::uint32_t kOrderNumber = 2;
inline constexpr std::uint32_t kGeneration = 3;
static_assert(offsetof(Record, deadline) / 4 == kDeadline && offsetof(Record, filed) / 4 == kFiled &&
              offsetof(Record, order) / 4 == kOrderNumber && offsetof(Record, generation) / 4 == kGeneration &&
              sizeof(Record) == 16);

// The last three ticks before the wrap are states, not times. No timer is due at them: see ValidTick.
inline constexpr Tick kNever = 0xffffffff;
inline constexpr Tick kNone = 0xffffffff;
inline constexpr Tick kQueued = 0xfffffffe;
inline constexpr Tick kSeen = 0xfffffffd;
inline constexpr Tick kFirstState = kSeen;

/// The tick itself; 0, the next valid tick, if `tick` is a state.
constexpr Tick ValidTick(Tick tick) { return tick >= kFirstState ? 0 : tick; }

/// Whether `a` comes before `b` on the wrapping scale. They must be less than 2^31 apart.
constexpr bool Before(Tick a, Tick b) { return static_cast<std::int32_t>(a - b) < 0; }

}  // namespace timeout_wheel
