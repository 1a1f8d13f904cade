// What the wheel knows of one unit.
//
//   0                   8         10                  16 bytes
//   +-------------------+---------+-------------------+
//   | due               | filed   | sequence          |
//   +-------------------+---------+-------------------+
//
// due       the exact due time, in milliseconds
//
// filed     where the record's valid entry is: the number of a slot plus 1; kNone: nowhere. The batch
//           has the entries of the slot of the tick
//
// sequence  the number of the operation that set `due`. Timers of one tick run in this order. Its 48 bits are enough
//           for nine years of a million operations a second
#pragma once

#include <cstdint>

namespace timeout_wheel {

// Pages load the WebAssembly module, so its code is short: in the module, a function with ONE_COPY is not inlined.
// Natively, a function with APART is not, because a wake-up for one timer seldom needs it and loads fewer cache lines.
#ifdef __wasm__
#define TIMEOUT_WHEEL_ONE_COPY [[gnu::noinline]]
#define TIMEOUT_WHEEL_APART
inline constexpr bool kIsSmall = true;
#else
#define TIMEOUT_WHEEL_ONE_COPY
#define TIMEOUT_WHEEL_APART [[gnu::noinline]]
inline constexpr bool kIsSmall = false;
#endif

/// Names a timer by the offset of its record in the memory, divided by the size of a record.
using Unit = std::uint32_t;
/// Counts from the start of the clock. 64 bits never wrap.
using Tick = std::int64_t;

// Values of `filed` besides the slots'.
inline constexpr std::uint32_t kNone = 0;
/// A sweep has kept an entry of the record.
inline constexpr std::uint32_t kSeen = 0xffff;

class Record {
 public:
  double due;

  std::uint32_t filed() const { return static_cast<std::uint32_t>(word_ & kFiledMask); }
  void set_filed(std::uint32_t filed) { word_ = (word_ & ~kFiledMask) | filed; }
  std::uint64_t sequence() const { return word_ >> kFiledBits; }
  void set_sequence(std::uint64_t sequence) { word_ = (sequence << kFiledBits) | (word_ & kFiledMask); }

 private:
  static constexpr std::uint32_t kFiledBits = 16;
  static constexpr std::uint64_t kFiledMask = (std::uint64_t{1} << kFiledBits) - 1;

  std::uint64_t word_;
};
static_assert(sizeof(Record) == 16);

// The state of a unit: its generation and, in the lowest bit, whether the wheel has handed it over as expired. A unit
// is live if its generation is odd. Ending a timer makes the generation even and clears the bit, in one store.
inline constexpr std::uint32_t kExpiredBit = 1;
inline constexpr std::uint32_t kLiveBit = 2;

}  // namespace timeout_wheel
