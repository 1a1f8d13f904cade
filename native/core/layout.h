// The shared memory of one wheel: what lies where. JavaScript and C++ both read and write it, so this file is the
// contract; lib/memory.ts holds the same numbers and compares them with kLayout when the addon is loaded.
//
//   unit 0                 16,384            24,576            32,768
//   +----------------------+-----------------+-----------------+--
//   | base: control, queues| block 0         | block 1         |  ...   grows at its end, nothing moves
//   |  and slot heads      | records | chunks| records | chunks|
//   +----------------------+-----------------+-----------------+--
//     256 KiB                80 KiB    48 KiB
//
// A unit is 16 bytes, the size of a record. A record is named by its unit, so both sides find it by a shift.
// Chunks of a block are enough for two entries per record of it: filing never allocates and so never fails.
#pragma once

#include <array>
#include <cstdint>

#include "record.h"

namespace timeout_wheel {

inline constexpr std::uint32_t kWordsPerUnit = 4;
inline constexpr std::uint32_t kUnitsPerBlock = 8192;
inline constexpr std::uint32_t kBlockBytes = kUnitsPerBlock * sizeof(Record);
inline constexpr std::uint32_t kRecordsPerBlock = 5120;
inline constexpr std::uint32_t kBaseBlocks = 2;
inline constexpr std::uint32_t kFirstUnit = kBaseBlocks * kUnitsPerBlock;
inline constexpr std::uint32_t kMaxBlocks = 8192 - kBaseBlocks;

// Words of the control block. Those marked "JS" are written by JavaScript only, "C++" by C++ only.
enum ControlWord : std::uint32_t {
  kNow = 0,            // f64, C++: the clock when the epoch opened, in ticks
  kOrder = 2,          // JS: the next order number; up to date when an epoch is opened
  kEpochEnd = 3,       // C++: the order number before which the clock must be read again; 0: at once. JS: not 0, with
                       // an infinite kLeastSlack, while operations read the clock each, so that none is adjusted
  kSubmitted = 4,      // both: entries in the submissions
  kExpired = 5,        // C++: entries in the expirations
  kUnfinished = 6,     // C++: 1 when the last Advance stopped at a limit before it reached its target
  kTick = 7,           // C++: the next tick to process; whatever was due before it is in the expirations or done
  kWake = 8,           // C++: the tick at which Advance is needed next; valid when kArmed. JS: a sooner one, until then
  kArmed = 9,          // C++: 1 when anything is filed. JS: with kWake
  kReferenced = 10,    // JS: pending timers that keep the event loop alive
  kUnreferenced = 11,  // JS: pending timers that do not
  kHeld = 12,          // the driver: 0 idle, 1 the wheel is kept in memory, 2 the event loop is kept alive too
  kNowCeil = 13,       // C++: kNow rounded up to a tick
  // The slack of an operation is its deadline less its exact due time: the time that may pass between the reading of
  // the clock and the operation without making it early. For a delay of whole ticks it is kNowCeil - kNow.
  kLeastSlack = 14,  // f64, both: the least of the open epoch's
  kClosed = 16,      // f64, C++: the clock when the last epoch was closed
  kInexact = 18,     // both: 1 when something was submitted whose delay is not of whole ticks from its operation on
  kUsed = 19,        // JS: records handed out so far, from the first on
  kBusy = 20,        // C++: 1 while a call changes the wheel. Set when one begins: the last one was interrupted
  kDeferred = 21,    // both: 1 when some notes of the open epoch are deferred: see kDeferredNote
  kSince = 22,       // f64, both: the clock, in ticks, no later than the first operation that is in the submissions
  kSpare = 24,       // JS: 1 when there is more memory than a wheel begins with
  kFraction = 64,    // f64 x 64, JS: what the delay of each operation has beyond whole ticks, at least one
  kTouched = 192,    // u32 x 64, JS: the records of the open epoch's operations, by their order: a unit; ~unit where
                     // kFraction holds a fraction; 0 where no deadline is to be adjusted. A word more: see kEpochEnd
  kDelays = 320,     // u32 x 64, JS: the delays of deferred notes, in ticks
};

// Added to the unit in a note: the operation has written nothing else, neither the record's deadline, which follows
// from its delay, nor the order number. Whoever closes the epoch does, and submits the record where it needs an entry:
// before that nothing looks at it that minds. Of records at random each store would wait for the line of its own
// record, and on processors that let no load pass a store to an unknown place all that follows would wait with it.
inline constexpr std::uint32_t kDeferredNote = std::uint32_t{1} << 30;

// The clock is read once for this many operations, or when the event loop turns.
inline constexpr std::uint32_t kEpochLength = 64;
inline constexpr std::uint32_t kSubmissionsWord = 512;
inline constexpr std::uint32_t kSubmissionsCapacity = 2048;
inline constexpr std::uint32_t kExpirationsWord = kSubmissionsWord + kSubmissionsCapacity;
inline constexpr std::uint32_t kExpirationsCapacity = 4096;
inline constexpr std::uint32_t kHeadsWord = kExpirationsWord + kExpirationsCapacity;

// A chunk holds the record units of one slot in the order they were filed, and the word offset of the next chunk.
inline constexpr std::uint32_t kChunkWords = 32;
inline constexpr std::uint32_t kChunkLink = kChunkWords - 1;
inline constexpr std::uint32_t kChunksPerBlock = 372;
// Free chunks stand on a stack whose storage is spread over the blocks, before the chunks themselves.
inline constexpr std::uint32_t kStackWord = kRecordsPerBlock * kWordsPerUnit;
inline constexpr std::uint32_t kChunksWord = kStackWord + kChunksPerBlock + 12;
inline constexpr std::uint32_t kFirstBlockWord = kFirstUnit * kWordsPerUnit;
inline constexpr std::uint32_t kBlockWords = kUnitsPerBlock * kWordsPerUnit;

static_assert(kTouched + kEpochLength < kDelays && kDelays + kEpochLength <= kSubmissionsWord);
static_assert(kHeadsWord % kChunkWords == 0 && kChunksWord % kChunkWords == 0);
static_assert(kChunksWord + kChunksPerBlock * kChunkWords <= kBlockWords);

/// What lib/memory.ts must agree with, in its order.
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
                                       std::uint32_t{kSpare},
                                       std::uint32_t{kSince},
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
