#include "slot_store.h"

#include <algorithm>
#include <bit>

namespace timeout_wheel {

SlotStore::Run SlotStore::TakeRun(std::uint32_t slot, std::uint32_t most) {
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

void SlotStore::SortDue() {
  Chain& due = chains_[kDue];

  std::uint32_t least = UINT32_MAX;
  std::uint32_t most = 0;
  // Read without releasing: a walk over the chain, not through Read.
  for (std::uint32_t at = due.front; at != due.cursor; ++at) {
    if ((at & kChunkLink) == kChunkLink) at = memory_.word(at);
    const std::uint32_t order = memory_.record(memory_.word(at)).order;
    least = std::min(least, order);
    most = std::max(most, order);
  }

  const auto bits = static_cast<std::uint32_t>(std::bit_width(most - least));
  for (std::uint32_t shift = 0; shift < bits; shift += kDigitBits) {
    std::array<Chain, kBuckets> buckets;
    for (std::uint32_t i = 0; i < kBuckets; ++i) buckets[i] = {Head(kChains + i), Head(kChains + i)};
    while (due.front != due.cursor) {
      const Unit unit = Read(due);
      Write(buckets[((memory_.record(unit).order - least) >> shift) & (kBuckets - 1)], unit);
    }
    Release(due.front);
    due = {Head(kDue), Head(kDue)};
    for (Chain& bucket : buckets) {
      while (bucket.front != bucket.cursor) Write(due, Read(bucket));
      Release(bucket.front);
    }
  }
}

}  // namespace timeout_wheel
