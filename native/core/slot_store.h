// The contents of the slots: chains of chunks of record units, first in, first out.
//
// A slot has a permanent head chunk; further chunks come from a pool that lies in the blocks. A slot's chain is read
// from its front and written at its cursor, both word offsets into the memory:
//
//   head chunk                   chunk                        chunk
//   [ u u u u ... u | link ] --> [ u u u u ... u | link ] --> [ u u u . . . | . ]
//         ^ front                                                   ^ cursor
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "layout.h"
#include "level.h"
#include "memory.h"
#include "size_profile.h"

namespace timeout_wheel {

/// Free chunks of the blocks: a stack, and a count of those never taken.
class ChunkPool {
 public:
  void Extend(std::uint32_t blocks) { blocks_ = blocks; }
  void Clear() { fresh_ = free_ = 0; }

  /// The word offset of a chunk. There always is one: TimerWheel bounds the number of entries.
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

/// A chain of chunks being read and written.
struct Chain {
  std::uint32_t front = 0;
  std::uint32_t cursor = 0;
};

class SlotStore {
 public:
  // Two chains beside the slots: what is due in the tick being expired, and the survivors of the slot being swept.
  static constexpr std::uint32_t kDue = kSlots;
  static constexpr std::uint32_t kSwept = kSlots + 1;
  static constexpr std::uint32_t kChains = kSlots + 2;
  // Those of the sort, which need a head each as well: it would take too many chunks of the pool that are not full.
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
  /// Whether nothing was read from the slot yet and all its entries lie in its head chunk.
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

  /// Calls `take` for the entries of a slot in turn, `work` of them at most, and lowers `work` by their number. `take`
  /// may append to other slots. Returns whether the slot is empty now.
  template <class Take>
  [[gnu::always_inline]] bool Drain(std::uint32_t slot, std::uint32_t& work, Take&& take) {
    for (;;) {
      const Run run = TakeRun(slot, work);
      if (run.count == 0) return Empty(slot);
      work -= run.count;
      for (std::uint32_t i = 0; i < run.count; ++i) {
        // The next chunk's records, a chunk's length before they are needed; its own units take a while to arrive.
        if (i >= kUnitsDelay) memory_.Prefetch(run.ahead[i - kUnitsDelay]);
        take(run.units[i]);
      }
    }
  }

  /// A small slot's entries, to be rewritten in place: see TimerWheel::Prune.
  std::uint32_t* SmallEntries(std::uint32_t slot) { return &memory_.word(Head(slot)); }
  std::uint32_t SmallCount(std::uint32_t slot) const { return chains_[slot].cursor - Head(slot); }
  void TruncateSmall(std::uint32_t slot, std::uint32_t count) {
    entries_ -= SmallCount(slot) - count;
    chains_[slot].cursor = Head(slot) + count;
  }

  /// Sorts what is due by order number: a radix sort from chain to chain, stable. O(n) per 7 bits of the numbers'
  /// range.
  void SortDue();

  const Chain& chain(std::uint32_t slot) const { return chains_[slot]; }
  const ChunkPool& pool() const { return pool_; }

 private:
  static constexpr std::uint32_t kPrefetchAhead = 8;
  static constexpr std::uint32_t kUnitsDelay = 8;

  static constexpr std::uint32_t Head(std::uint32_t slot) { return kHeadsWord + slot * kChunkWords; }
  /// Entries of one chunk, taken from a slot; they stay where they are until the slot is next read.
  struct Run {
    const std::uint32_t* units;
    std::uint32_t count;
    // The units of the next chunk, or the same again where there is none.
    const std::uint32_t* ahead;
  };
  /// Takes the entries that are left in the first chunk, `most` at most. None: the slot is empty, or `most` is 0.
  TIMEOUT_WHEEL_INLINE_FOR_SIZE Run TakeRun(std::uint32_t slot, std::uint32_t most);

  void ResetWhenRead(std::uint32_t slot) {
    Chain& chain = chains_[slot];
    if (chain.front != chain.cursor) return;
    Release(chain.front);
    chain = {Head(slot), Head(slot)};
  }

  // Heads are permanent: only chunks of the blocks go back to the pool.
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
    // Past the cursor this reads whatever stood there before: harmless for a prefetch, and still within the chunk.
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
  // The records of a chain's first chunk, or of any other those that were not asked for while the one before was read.
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
