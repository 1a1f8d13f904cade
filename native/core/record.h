// One timer as both sides see it.
//
//   0          4          8          12         16 bytes
//   +----------+----------+----------+----------+
//   | deadline | filed    | order    |generation|
//   +----------+----------+----------+----------+
//
// deadline    the tick at which the timer is due; kNever: cancelled or free
// filed       the first tick of the slot in which the record's one valid entry lies; kNone: no entry;
//             kQueued: its unit stands in the submissions. JavaScript writes kQueued, C++ all else.
// order       the number of the operation that set the deadline: timers of one tick run in its order.
//             While the record is free, JavaScript keeps the next free record's unit there.
// generation  of the record's ids, which a program may have kept: odd while a timer with one has it (JavaScript only)
#pragma once

#include <cstddef>
#include <cstdint>

namespace timeout_wheel {

/// Ticks wrap at 2^32; two of them are compared by their difference, which is below 2^31.
using Tick = std::uint32_t;
/// Names a record: its place in the memory in units of 16 bytes.
using Unit = std::uint32_t;

struct Record {
  Tick deadline;
  Tick filed;
  std::uint32_t order;
  std::uint32_t generation;
};
static_assert(sizeof(Record) == 16 && offsetof(Record, deadline) == 0 && offsetof(Record, filed) == 4 &&
              offsetof(Record, order) == 8 && offsetof(Record, generation) == 12);

// The last three ticks before the wrap stand for states. No timer is due at them: see ValidTick.
inline constexpr Tick kNever = 0xffffffff;
inline constexpr Tick kNone = 0xffffffff;
inline constexpr Tick kQueued = 0xfffffffe;
inline constexpr Tick kSeen = 0xfffffffd;

/// The tick itself, or 0, the next one, where it stands for a state.
constexpr Tick ValidTick(Tick tick) { return tick >= kSeen ? 0 : tick; }

/// Whether a comes before b on the wrapping scale; they must be less than 2^31 apart.
constexpr bool Before(Tick a, Tick b) { return static_cast<std::int32_t>(a - b) < 0; }

}  // namespace timeout_wheel
