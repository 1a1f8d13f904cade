// Chains: queues of units, each stored as chunks that are linked. A chain is read at its front and written at its
// cursor. Both are word offsets into the memory:
//
//   chunk                        chunk                        chunk
//   [ u u u u ... u | link ] --> [ u u u u ... u | link ] --> [ u u u . . . | . ]
//         ^ front                                                   ^ cursor
//
// An empty chain has no chunk. A chunk that has been read goes back to the store at once. The store gives out the chunk
// that came back last, because its cache line is warm.
//
// Chunks never run out. TimerWheel bounds the entries by two for each record, and the blocks have chunks for so many.
// Besides, each chain has at most a first chunk that is partly read and a last one that is partly written. The base has
// chunks for them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "layout.h"
#include "memory.h"

namespace timeout_wheel {

struct Chain {
  std::uint32_t front = 0;
  std::uint32_t cursor = 0;

  bool empty() const { return front == cursor; }
};

class ChainStore {
 public:
  explicit ChainStore(void* address) : memory_(address) {}

  const Memory& memory() const { return memory_; }
  void Attach(void* address) { memory_ = Memory(address); }
  /// Takes all chunks back. The owner forgets its chains.
  void Clear() { free_ = fresh_ = chunks_ = entries_ = 0; }

  /// The number of entries in all chains.
  std::uint32_t entries() const { return entries_; }
  std::uint32_t chunks_in_use() const { return chunks_; }

  void Append(Chain& chain, Unit unit) {
    if (chain.cursor == 0) {
      chain.front = chain.cursor = TakeChunk();
    } else if (IsLink(chain.cursor)) {
      const std::uint32_t next = TakeChunk();
      memory_.word(chain.cursor) = next;
      chain.cursor = next;
    }
    memory_.word(chain.cursor++) = unit;
    ++entries_;
  }

  /// The first entry of a chain that is not empty.
  Unit Front(Chain& chain) const { return memory_.word(IsLink(chain.front) ? memory_.word(chain.front) : chain.front); }
  /// Drops the first entry of a chain that is not empty, and returns it. O(1).
  [[gnu::noinline]] Unit Pop(Chain& chain) {
    Follow(chain);
    const Unit unit = memory_.word(chain.front);
    Taken(chain, 1);
    return unit;
  }

  /// Calls `take` for at most `work` entries of a chain, in order, and lowers `work` by their number. `take` may append
  /// to other chains. Returns whether the chain is empty now.
  template <class Take>
  [[gnu::always_inline]] bool TakeAll(Chain& chain, std::uint32_t& work, Take&& take) {
#ifdef __wasm__  // Shorter: pages load it.
    for (; work > 0 && !chain.empty(); --work) take(Pop(chain));
    return chain.empty();
#endif
    bool is_first = true;
    while (!chain.empty()) {
      if (work == 0) return false;
      Follow(chain);
      const std::uint32_t count = std::min(CountAtFront(chain), work);
      const std::uint32_t* const units = &memory_.word(chain.front);
      if (is_first) PrefetchUnits(units, count);
      is_first = false;
      const std::uint32_t* const ahead = NextUnits(chain);
      for (std::uint32_t i = 0; i < count; ++i) {
        // One at a time: the processor waits if too many lines are under way.
        memory_.Prefetch(ahead[i]);
        take(units[i]);
      }
      work -= count;
      Taken(chain, count);
    }
    return true;
  }

  /// Calls `visit` for all entries of a chain.
  template <class Visit>
  void ForEach(const Chain& chain, Visit&& visit) const {
    for (std::uint32_t at = chain.front; at != chain.cursor; ++at) {
      if (IsLink(at)) at = memory_.word(at);
      visit(memory_.word(at));
    }
  }

  /// The entries of a chain, if one chunk holds all of them; 0 otherwise.
  std::uint32_t SmallCount(const Chain& chain) const {
    const bool is_small = (chain.front & ~kChunkLink) == ((chain.cursor - 1) & ~kChunkLink);
    return is_small ? chain.cursor - chain.front : 0;
  }
  /// Keeps the entries of a small chain for which `keep` returns true.
  template <class Keep>
  void Filter(Chain& chain, Keep&& keep) {
    const std::uint32_t end = chain.cursor;
    std::uint32_t kept = chain.front;
    for (std::uint32_t at = chain.front; at != end; ++at) {
      const Unit unit = memory_.word(at);
      if (keep(unit)) memory_.word(kept++) = unit;
    }
    entries_ -= end - kept;
    chain.cursor = kept;
    if (!chain.empty()) return;
    GiveChunk(chain.front & ~kChunkLink);
    chain = {};
  }

 private:
  static constexpr bool IsLink(std::uint32_t at) { return (at & kChunkLink) == kChunkLink; }

  /// Goes on to the next chunk if the front has come to a link.
  void Follow(Chain& chain) {
    if (!IsLink(chain.front)) return;
    const std::uint32_t next = memory_.word(chain.front);
    GiveChunk(chain.front & ~kChunkLink);
    chain.front = next;
  }
  void Taken(Chain& chain, std::uint32_t count) {
    chain.front += count;
    entries_ -= count;
    if (!chain.empty()) return;
    GiveChunk((chain.front - 1) & ~kChunkLink);
    chain = {};
  }
  bool IsLast(const Chain& chain) const { return chain.front / kChunkWords == chain.cursor / kChunkWords; }
  std::uint32_t CountAtFront(const Chain& chain) const {
    return (IsLast(chain) ? chain.cursor : chain.front | kChunkLink) - chain.front;
  }

  /// The units of the next chunk, whose records are prefetched while those of the first are visited. Prefetches the
  /// chunk after it. Beyond the cursor a chunk holds old units, whose prefetches are harmless.
  const std::uint32_t* NextUnits(const Chain& chain) const {
    if (IsLast(chain)) return &memory_.word(chain.front);
    const std::uint32_t next = memory_.word(chain.front | kChunkLink);
    Memory::PrefetchLine(&memory_.word(0) + memory_.word(next | kChunkLink));
    return &memory_.word(next);
  }
  [[gnu::always_inline]] void PrefetchUnits(const std::uint32_t* units, std::uint32_t count) const {
    for (std::uint32_t i = 1; i < count; ++i) memory_.Prefetch(units[i]);
  }

  std::uint32_t TakeChunk() {
    ++chunks_;
    const std::uint32_t chunk = free_;
    if (chunk == 0) return FreshChunk(fresh_++);
    free_ = memory_.word(chunk);
    return chunk;
  }
  /// The first word of a free chunk links it to the next free one.
  TIMEOUT_WHEEL_ONE_COPY void GiveChunk(std::uint32_t chunk) {
    --chunks_;
    memory_.word(chunk) = free_;
    free_ = chunk;
  }
  static std::uint32_t FreshChunk(std::uint32_t n) {
    if (n < kChunksInBase) return kBaseChunksWord + n * kChunkWords;
    n -= kChunksInBase;
    return kFirstBlockWord + n / kChunksPerBlock * kBlockWords + kChunksWord + n % kChunksPerBlock * kChunkWords;
  }

  Memory memory_;
  std::uint32_t free_ = 0;
  std::uint32_t fresh_ = 0;
  std::uint32_t chunks_ = 0;
  std::uint32_t entries_ = 0;
};

}  // namespace timeout_wheel
