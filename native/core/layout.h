// The layout of one wheel's memory. JavaScript and C++ both read and write it, so this file is their contract.
// .tooling/layout.mjs copies the numbers into JavaScript, which compares them with kLayout when it loads the addon.
//
//   unit 0                 16,384            24,576            32,768
//   +----------------------+-----------------+-----------------+--
//   | base: control, queues| block 0         | block 1         |  ...   grows at its end, nothing moves
//   |  and slot heads      | records | chunks| records | chunks|
//   +----------------------+-----------------+-----------------+--
//     256 KiB                80 KiB    48 KiB
//
// A unit is 16 bytes, the size of a record. The unit of a record names it, so both sides find it by a shift.
// The chunks of a block are enough for two entries per record of the block. So filing never allocates and never fails.
#pragma once

#include <array>
#include <cstdint>

#include "record.h"

namespace timeout_wheel {

inline constexpr std::uint32_t kWordsPerUnit = 4;
inline constexpr std::uint32_t kBlockShift = 13;
inline constexpr std::uint32_t kUnitsPerBlock = std::uint32_t{1} << kBlockShift;
/// The bits of a unit that are the index of its record in the block.
inline constexpr std::uint32_t kRecordMask = kUnitsPerBlock - 1;
inline constexpr std::uint32_t kBlockBytes = kUnitsPerBlock * sizeof(Record);
inline constexpr std::uint32_t kRecordsPerBlock = 5120;
/// WebAssembly memory grows by multiples of this many bytes.
inline constexpr std::uint32_t kWasmGrowth = 65536;
static_assert(kBlockBytes % kWasmGrowth == 0);
inline constexpr std::uint32_t kBaseBlocks = 2;
inline constexpr std::uint32_t kFirstUnit = kBaseBlocks * kUnitsPerBlock;
inline constexpr std::uint32_t kMaxBlocks = 8192 - kBaseBlocks;

// Words of the control block. "JS": only JavaScript writes the word. "C++": only C++ writes it.
enum ControlWord : std::uint32_t {
  kNow = 0,            // f64, C++: the clock when the epoch opened, in ticks
  kOrder = 2,          // JS: the next order number; up to date when an epoch is opened
  kEpochEnd = 3,       // C++: the order number of the first operation that must read the clock again; 0: the next one.
                       // JS: another number than 0 while each operation reads the clock. It then sets kLeastSlack to
                       // infinity, so that the close of the epoch moves no deadline
  kSubmitted = 4,      // both: entries in the submissions
  kExpired = 5,        // C++: entries in the expirations
  kUnfinished = 6,     // C++: 1 when the last Advance stopped at a limit before it reached its target
  kTick = 7,           // C++: the next tick to process; all earlier timers are in the expirations or done
  kWake = 8,           // C++: the tick at which Advance is needed next, if kArmed is 1. JS: may write an earlier one
  kArmed = 9,          // C++: 1 if anything is filed. JS: sets it together with kWake
  kReferenced = 10,    // JS: pending timers that keep the event loop alive
  kUnreferenced = 11,  // JS: pending timers that do not
  kHeld = 12,          // the driver: 0 idle, 1 the wheel is kept in memory, 2 the event loop is kept alive too
  kNowCeil = 13,       // C++: kNow rounded up to a tick
  // The slack of an operation is its deadline minus its exact due time. So much time may pass between the reading of
  // the clock and the operation before the deadline would be early. For a delay of whole ticks it is kNowCeil - kNow.
  kLeastSlack = 14,  // f64, both: the least slack in the open epoch
  kClosed = 16,      // f64, C++: the clock when the last epoch was closed
  kInexact = 18,     // both: 1 if a submission's delay, counted from its operation, is no whole number of ticks.
  kUsed = 19,        // JS: the number of records handed out so far
  kBusy = 20,        // C++: 1 while a call changes the wheel. If a call finds 1, the last call was interrupted
  kDeferred = 21,    // both: 1 if the open epoch has deferred notes: see kDeferredNote
  kSince = 22,       // f64, both: the clock, in ticks, at or before the first operation in the submissions
  kDispatched = 25,  // JS: kDone or kMore at the end of a slice, for a driver to which its result is lost
  kFraction = 64,    // f64 x 64, JS: the delay of each operation minus its whole ticks, at least one
  kTouched = 192,    // u32 x 64, JS: a note for each operation of the open epoch, in order: the record's unit; ~unit if
                     // kFraction holds a fraction; 0 if no deadline may move. A 65th word takes the notes of operations
                     // that each read the clock
  kDelays = 320,     // u32 x 64, JS: the delays of deferred notes, in ticks
};

// Values of kHeld besides 0.
inline constexpr std::uint32_t kRetained = 1;
inline constexpr std::uint32_t kKeepsLoopAlive = 2;

// Values of kDispatched: the slice has not ended, or it has; due timers are left, or none.
inline constexpr std::uint32_t kUnknown = 0;
inline constexpr std::uint32_t kDone = 1;
inline constexpr std::uint32_t kMore = 2;

// Added to the unit in a deferred note. Its operation has written only this note and its delay: neither the record's
// deadline nor its order number. The close of the epoch writes both, and submits the record if it needs an entry.
// Nothing reads the deadline or the order number earlier. Operations are deferred because, with records at random, each
// store waits for its own cache line. Some processors let no load pass a store to an unknown address, so all later
// operations would wait too.
inline constexpr std::uint32_t kDeferredNote = std::uint32_t{1} << 30;

// One reading of the clock serves this many operations, or those until the event loop turns.
inline constexpr std::uint32_t kEpochLength = 64;
inline constexpr std::uint32_t kSubmissionsWord = 512;
inline constexpr std::uint32_t kSubmissionsCapacity = 2048;
inline constexpr std::uint32_t kExpirationsWord = kSubmissionsWord + kSubmissionsCapacity;
inline constexpr std::uint32_t kExpirationsCapacity = 4096;
inline constexpr std::uint32_t kHeadsWord = kExpirationsWord + kExpirationsCapacity;

// A chunk holds record units of one slot in the order of filing, and the word offset of the next chunk.
inline constexpr std::uint32_t kChunkWords = 32;
inline constexpr std::uint32_t kChunkLink = kChunkWords - 1;
inline constexpr std::uint32_t kChunksPerBlock = 372;
// Free chunks are on a stack. Each block stores a part of the stack, before its chunks.
inline constexpr std::uint32_t kStackWord = kRecordsPerBlock * kWordsPerUnit;
inline constexpr std::uint32_t kChunksWord = kStackWord + kChunksPerBlock + 12;
inline constexpr std::uint32_t kFirstBlockWord = kFirstUnit * kWordsPerUnit;
inline constexpr std::uint32_t kBlockWords = kUnitsPerBlock * kWordsPerUnit;

static_assert(kDispatched < kFraction && kFraction % 2 == 0 && kFraction + 2 * kEpochLength <= kTouched);
static_assert(kTouched + kEpochLength < kDelays && kDelays + kEpochLength <= kSubmissionsWord);
static_assert(kHeadsWord % kChunkWords == 0 && kChunksWord % kChunkWords == 0);
static_assert(kChunksWord + kChunksPerBlock * kChunkWords <= kBlockWords);
static_assert(kChunksPerBlock * kChunkLink > 2 * kRecordsPerBlock);
static_assert(std::uint64_t{kBaseBlocks + kMaxBlocks} * kBlockBytes == std::uint64_t{1} << 30);

// Ticks are compared on a scale that wraps, so one Advance goes this far at most, and no deadline lies further ahead
// than half of it.
inline constexpr std::uint32_t kMaxAdvance = std::uint32_t{1} << 30;
inline constexpr std::uint32_t kFarthest = std::uint32_t{1} << 29;

/// The numbers that are compared.
inline constexpr std::array kLayout = {kUnitsPerBlock,
                                       kRecordsPerBlock,
                                       kBaseBlocks,
                                       kMaxBlocks,
                                       kEpochLength,
                                       std::uint32_t{kNow},
                                       std::uint32_t{kOrder},
                                       std::uint32_t{kEpochEnd},
                                       std::uint32_t{kSubmitted},
                                       std::uint32_t{kExpired},
                                       std::uint32_t{kUnfinished},
                                       std::uint32_t{kTick},
                                       std::uint32_t{kWake},
                                       std::uint32_t{kArmed},
                                       std::uint32_t{kReferenced},
                                       std::uint32_t{kUnreferenced},
                                       std::uint32_t{kHeld},
                                       std::uint32_t{kNowCeil},
                                       std::uint32_t{kLeastSlack},
                                       std::uint32_t{kClosed},
                                       std::uint32_t{kInexact},
                                       std::uint32_t{kUsed},
                                       std::uint32_t{kSince},
                                       std::uint32_t{kDispatched},
                                       std::uint32_t{kFraction},
                                       std::uint32_t{kTouched},
                                       std::uint32_t{kDeferred},
                                       std::uint32_t{kDelays},
                                       kDeferredNote,
                                       kSubmissionsWord,
                                       kSubmissionsCapacity,
                                       kExpirationsWord,
                                       kExpirationsCapacity,
                                       std::uint32_t{sizeof(Record)}};

}  // namespace timeout_wheel
