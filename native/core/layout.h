// The memory that one wheel shares with JavaScript. `npm run build` copies the numbers below into
// lib/generated/layout.ts, and lib/memory/layout.ts compares both sides when it loads the addon.
//
//   +----------------------+-------------------------------+------------------
//   | base: control, queue,| block 0                       | block 1     ...   grows at its end, nothing moves
//   | expirations, chunks  | records | states | chunks     | records | ...
//   +----------------------+-------------------------------+------------------
//     256 KiB                574 KiB   143      307
//                            ^ unit 0
//
// A unit is 16 bytes, the size of a record. The number of a unit names its record, so both sides find it by a shift.
// The chunks of a block are enough for two entries per unit of the block. So filing never allocates and never fails.
#pragma once

#include <array>
#include <cstdint>

#include "record.h"

namespace timeout_wheel {

inline constexpr std::uint32_t kWordsPerUnit = sizeof(Record) / 4;
inline constexpr std::uint32_t kBlockShift = 16;
inline constexpr std::uint32_t kUnitsPerBlock = std::uint32_t{1} << kBlockShift;
/// The bits of a unit that are the index of its record in the block.
inline constexpr std::uint32_t kIndexMask = kUnitsPerBlock - 1;
inline constexpr std::uint32_t kBlockWords = kUnitsPerBlock * kWordsPerUnit;
inline constexpr std::uint32_t kBlockBytes = kBlockWords * 4;
/// The records of a block. A multiple of 32, because a span of 32 units can belong to one group.
inline constexpr std::uint32_t kRecordsPerBlock = 36704;
inline constexpr std::uint32_t kBaseBytes = 262144;
inline constexpr std::uint32_t kMaxBlocks = 1023;
/// WebAssembly memory grows by multiples of this many bytes.
inline constexpr std::uint32_t kWasmGrowth = 65536;
static_assert(kBlockBytes % kWasmGrowth == 0 && kRecordsPerBlock % 32 == 0);
static_assert(kBaseBytes % kWasmGrowth == 0 && std::uint64_t{kMaxBlocks} * kBlockBytes + kBaseBytes < std::uint64_t{1}
                                                                                                          << 30);

// Words of the control block. "JS": only JavaScript writes the word. "C++": only C++ writes it.
enum ControlWord : std::uint32_t {
  kPassBegan = 0,     // f64, C++: the time of the last Expire, in milliseconds
  kWake = 2,          // f64, C++: what FindWake has found
  kQueued = 4,        // both: operations in the queue
  kQueueLimit = 5,    // C++: JavaScript calls Apply when kQueued reaches it
  kExpired = 6,       // C++: entries in the expirations. JS: 0 when all have run
  kUnfinished = 7,    // C++: 1 if the pass has stopped at a bound: Resume goes on
  kReferenced = 8,    // JS: pending timers that keep the event loop alive
  kUnreferenced = 9,  // JS: pending timers that do not
  kHeld = 10,         // the driver: 0 idle, 1 the wheel is kept in memory, 2 the event loop is kept alive too
  kUsed = 11,         // JS: the number of units handed out so far
  kBusy = 12,         // C++: 1 while a call changes the wheel. If a call finds 1, the last call was interrupted
  kInSlice = 13,      // the driver: 1 while it runs due timers. Then it looks whether the event loop may end
  kLongSlice = 14,    // f64, JS: the driver reports a slice that takes so many milliseconds
  kClock = 16,        // f64, C++: what readClock has read. JS: the present time, without a place on the loop
};
inline constexpr std::uint32_t kRetained = 1;  // Values of kHeld besides 0.
inline constexpr std::uint32_t kKeepsLoopAlive = 2;

// The queue of operations. JavaScript appends; Apply carries all of them out, in order.
inline constexpr std::uint32_t kQueueCapacity = 128;
/// u32: the unit.
inline constexpr std::uint32_t kQueueUnitsWord = 128;
/// f64: the delay in milliseconds. Below 0: the due time, negated.
inline constexpr std::uint32_t kQueueDelaysWord = kQueueUnitsWord + kQueueCapacity;
/// u32: the units that are due, in the order in which they run.
inline constexpr std::uint32_t kExpirationsWord = kQueueDelaysWord + 2 * kQueueCapacity;
inline constexpr std::uint32_t kExpirationsCapacity = 2048;

// A chunk holds units of one chain, and the word offset of the next chunk: one cache line.
inline constexpr std::uint32_t kChunkWords = 16;
inline constexpr std::uint32_t kChunkLink = kChunkWords - 1;
// The base has room for the chunks that are not full: timer_wheel.h counts them.
inline constexpr std::uint32_t kBaseChunksWord = kExpirationsWord + kExpirationsCapacity;
inline constexpr std::uint32_t kChunksInBase = 2320;
static_assert(kBaseChunksWord % kChunkWords == 0);
static_assert(kBaseChunksWord + kChunksInBase * kChunkWords <= kBaseBytes / 4);

// Within a block.
inline constexpr std::uint32_t kStatesWord = kRecordsPerBlock * kWordsPerUnit;
inline constexpr std::uint32_t kChunksWord = kStatesWord + kRecordsPerBlock;
inline constexpr std::uint32_t kChunksPerBlock = (kBlockWords - kChunksWord) / kChunkWords;
inline constexpr std::uint32_t kFirstBlockWord = kBaseBytes / 4;
static_assert(kChunksWord % kChunkWords == 0 && kChunksPerBlock * kChunkLink > 2 * kRecordsPerBlock);

/// The unit of the n-th record. Records fill the first part of each block. Unit 0 is never used: it means none.
constexpr Unit UnitOfRecord(std::uint32_t n) {
  return (n + 1) / kRecordsPerBlock * kUnitsPerBlock + (n + 1) % kRecordsPerBlock;
}
/// The word that holds the state of a unit.
constexpr std::uint32_t StateWord(Unit unit) {
  return kFirstBlockWord + (unit >> kBlockShift) * kBlockWords + kStatesWord + (unit & kIndexMask);
}

constexpr auto ListOf(auto... all) { return std::array{std::uint32_t{all}...}; }  // Unreached: the compiler calls it.
/// The numbers that are compared.
inline constexpr auto kLayout =
    ListOf(kUnitsPerBlock, kRecordsPerBlock, kBaseBytes, kMaxBlocks, kFirstBlockWord, kStatesWord, kPassBegan, kWake,
           kQueued, kQueueLimit, kExpired, kUnfinished, kReferenced, kUnreferenced, kHeld, kUsed, kInSlice, kLongSlice,
           kClock, kQueueCapacity, kQueueUnitsWord, kQueueDelaysWord, kExpirationsWord, kExpirationsCapacity);

}  // namespace timeout_wheel
