// The contents of the slots: each slot is a queue of record units, stored as a chain of chunks.
//
// A slot has a permanent head chunk. Further chunks come from a pool in the blocks. A chain is read at its front and
// written at its cursor. Both are word offsets into the memory:
//
//   head chunk                   chunk                        chunk
//   [ u u u u ... u | link ] --> [ u u u u ... u | link ] --> [ u u u . . . | . ]
//         ^ front                                                   ^ cursor
//
// Chunks never run out. There are at most 2 entries per record, so 10,240 per block. A chain that is not being read
// takes a chunk from the pool only if its head is full, with 31 entries. So these chains use fewer than 10,240 / 31
// chunks: 331 per block. A chain that is partly read needs at most two more. Each level has at most one such chain, and
// the chains of the parked batch and of the sweep are the only others. So the sum is below the 372 of a block, even
// with one block. The 128 buckets that sort a parked batch have heads of their own in the base.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "layout.h"
#include "level.h"
#include "memory.h"
#include "size_profile.h"

namespace timeout_wheel {

/// The free chunks of the blocks: a stack of returned chunks, and a count of the chunks taken so far.
class ChunkPool {
 public:
  void Extend(std::uint32_t blocks) { blocks_ = blocks; }
  void Clear() { fresh_ = free_ = 0; }

  /// Takes a chunk and returns its word offset. A chunk is always free, because TimerWheel bounds the number of
  /// entries.
  std::uint32_t Take(const Memory& memory) {
    if (free_ != 0) return memory.word(StackWord(--free_));
    return ChunkWord(fresh_++);
  }
  void Give(const Memory& memory, std::uint32_t chunk) { memory.word(StackWord(free_++)) = chunk; }

  std::uint32_t in_use() const { return fresh_ - free_; }
  std::uint32_t capacity() const { return blocks_ * kChunksPerBlock; }

 private:
  static std::uint32_t BlockWord(std::uint32_t n) { return kFirstBlockWord + n / kChunksPerBlock * kBlockWords; }
  static std::uint32_t StackWord(std::uint32_t n) { return BlockWord(n) + kStackWord + n % kChunksPerBlock; }
  static std::uint32_t ChunkWord(std::uint32_t n) {
    return BlockWord(n) + kChunksWord + n % kChunksPerBlock * kChunkWords;
  }

  std::uint32_t blocks_ = 0;
  std::uint32_t fresh_ = 0;
  std::uint32_t free_ = 0;
};

/// The read and write positions of a chain of chunks.
struct Chain {
  std::uint32_t front = 0;
  std::uint32_t cursor = 0;
};

class SlotStore {
 public:
  // Two chains besides the slots: the due timers of the tick that expires, and the survivors of the slot being swept.
  static constexpr std::uint32_t kDue = kSlots;
  static constexpr std::uint32_t kSwept = kSlots + 1;
  static constexpr std::uint32_t kChains = kSlots + 2;
  // The buckets of the sort. Each has a head of its own: chunks from the pool would be too many, most of them not full.
  static constexpr std::uint32_t kDigitBits = 7;
  static constexpr std::uint32_t kBuckets = 1U << kDigitBits;
  static_assert(kHeadsWord + (kChains + kBuckets) * kChunkWords <= kFirstBlockWord);

  explicit SlotStore(void* address) : memory_(address) { Clear(); }

  const Memory& memory() const { return memory_; }
  void Attach(void* address) { memory_ = Memory(address); }
  void Extend(std::uint32_t blocks) { pool_.Extend(blocks); }
  void Clear() {
    for (std::uint32_t slot = 0; slot < kChains + kBuckets; ++slot) chains_[slot] = {Head(slot), Head(slot)};
    pool_.Clear();
    entries_ = 0;
  }

  /// The number of entries in all slots, stale ones included.
  std::uint32_t entries() const { return entries_; }
  bool Empty(std::uint32_t slot) const { return chains_[slot].front == chains_[slot].cursor; }
  /// Whether nothing was read from the slot yet and its head chunk holds all its entries.
  bool IsSmall(std::uint32_t slot) const {
    return chains_[slot].front == Head(slot) && chains_[slot].cursor - Head(slot) <= kChunkLink;
  }

  void Append(std::uint32_t slot, Unit unit) {
    Write(chains_[slot], unit);
    ++entries_;
  }

  /// The first entry of a slot that is not empty.
  Unit Front(std::uint32_t slot) const {
    const std::uint32_t at = chains_[slot].front;
    return memory_.word((at & kChunkLink) == kChunkLink ? memory_.word(at) : at);
  }

  /// Takes the first entry of a slot that is not empty. O(1).
  Unit Pop(std::uint32_t slot) {
    Chain& chain = chains_[slot];
    const Unit unit = Read(chain);
    --entries_;
    ResetWhenRead(slot);
    return unit;
  }

  /// Calls `take` for at most `work` entries of a slot, in order, and lowers `work` by their number. `take` may append
  /// to other slots. Returns whether the slot is empty now.
  template <class Take>
  [[gnu::always_inline]] bool TakeAll(std::uint32_t slot, std::uint32_t& work, Take&& take) {
    for (;;) {
      const Run run = TakeRun(slot, work);
      if (run.count == 0) return Empty(slot);
      work -= run.count;
      for (std::uint32_t i = 0; i < run.count; ++i) {
        // Prefetch the next chunk's records, one chunk ahead. Its units are prefetched too, and take a while to arrive.
        if (i >= kUnitsDelay) memory_.Prefetch(run.ahead[i - kUnitsDelay]);
        take(run.units[i]);
      }
    }
  }

  /// The entries of a small slot, which TimerWheel::Prune overwrites.
  std::uint32_t* SmallEntries(std::uint32_t slot) { return &memory_.word(Head(slot)); }
  std::uint32_t SmallCount(std::uint32_t slot) const { return chains_[slot].cursor - Head(slot); }
  void TruncateSmall(std::uint32_t slot, std::uint32_t count) {
    entries_ -= SmallCount(slot) - count;
    chains_[slot].cursor = Head(slot) + count;
  }

  /// Sorts the kDue chain by order number: a stable radix sort from chain to chain. O(n) for every 7 bits of the range
  /// of the numbers.
  void SortDue();

  const Chain& chain(std::uint32_t slot) const { return chains_[slot]; }
  const ChunkPool& pool() const { return pool_; }

 private:
  static constexpr std::uint32_t kPrefetchAhead = 8;
  static constexpr std::uint32_t kUnitsDelay = 8;

  static constexpr std::uint32_t Head(std::uint32_t slot) { return kHeadsWord + slot * kChunkWords; }
  /// Entries of one chunk, taken from a slot. They stay valid until the slot is next read.
  struct Run {
    const std::uint32_t* units;
    std::uint32_t count;
    // The units of the next chunk; `units` again if this is the last chunk.
    const std::uint32_t* ahead;
  };
  /// Takes at most `most` entries from the first chunk. Takes none if the slot is empty or `most` is 0.
  TIMEOUT_WHEEL_INLINE_FOR_SIZE Run TakeRun(std::uint32_t slot, std::uint32_t most);

  void ResetWhenRead(std::uint32_t slot) {
    Chain& chain = chains_[slot];
    if (chain.front != chain.cursor) return;
    Release(chain.front);
    chain = {Head(slot), Head(slot)};
  }

  // Heads are permanent. Only chunks of the blocks go back to the pool.
  void Release(std::uint32_t word) {
    if (word >= kFirstBlockWord) pool_.Give(memory_, word & ~kChunkLink);
  }

  void Write(Chain& chain, Unit unit) {
    if ((chain.cursor & kChunkLink) == kChunkLink) {
      const std::uint32_t next = pool_.Take(memory_);
      memory_.word(chain.cursor) = next;
      chain.cursor = next;
    }
    memory_.word(chain.cursor++) = unit;
  }

  Unit Read(Chain& chain) {
    std::uint32_t at = chain.front;
    if ((at & kChunkLink) == kChunkLink) {
      const std::uint32_t next = memory_.word(at);
      Release(at);
      at = next;
    }
    if ((at & kChunkLink) == 0) {
      for (std::uint32_t i = 1; i < kPrefetchAhead; ++i) memory_.Prefetch(memory_.word(at + i));
    }
    // Beyond the cursor this reads an old unit: still within the chunk, and harmless for a prefetch.
    memory_.Prefetch(memory_.word((at & ~kChunkLink) | ((at + kPrefetchAhead) & kChunkLink)));
    chain.front = at + 1;
    return memory_.word(at);
  }

  Memory memory_;
  ChunkPool pool_;
  std::uint32_t entries_ = 0;
  std::array<Chain, kChains + kBuckets> chains_;
};

inline SlotStore::Run SlotStore::TakeRun(std::uint32_t slot, std::uint32_t most) {
  Chain& chain = chains_[slot];
  ResetWhenRead(slot);
  if (most == 0 || Empty(slot)) return {};
  if ((chain.front & kChunkLink) == kChunkLink) {
    const std::uint32_t next = memory_.word(chain.front);
    Release(chain.front);
    chain.front = next;
  }
  const std::uint32_t chunk = chain.front & ~kChunkLink;
  const bool is_last = chunk == (chain.cursor & ~kChunkLink);
  const std::uint32_t end = is_last ? chain.cursor : chunk + kChunkLink;
  const std::uint32_t* const units = &memory_.word(chain.front);
  Run run{.units = units, .count = std::min(end - chain.front, most), .ahead = units};
  // For the first chunk of a chain, all records. For others, those not yet prefetched while the chunk before was read.
  for (std::uint32_t i = chunk < kFirstBlockWord ? 0 : kChunkLink - kUnitsDelay; i < run.count; ++i) {
    memory_.Prefetch(units[i]);
  }
  if (!is_last) {
    run.ahead = &memory_.word(memory_.word(chunk | kChunkLink));
    Memory::PrefetchLine(run.ahead);
    Memory::PrefetchLine(run.ahead + kChunkWords / 2);
  }
  chain.front += run.count;
  entries_ -= run.count;
  return run;
}

}  // namespace timeout_wheel
