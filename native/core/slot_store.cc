#include "slot_store.h"

#include <algorithm>
#include <bit>

namespace timeout_wheel {

void SlotStore::SortDue() {
  constexpr std::uint32_t kDigitBits = 7;
  constexpr std::uint32_t kBuckets = 1U << kDigitBits;
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
    std::array<Chain, kBuckets> buckets{};
    while (due.front != due.cursor) {
      const Unit unit = Read(due);
      Chain& bucket = buckets[((memory_.record(unit).order - least) >> shift) & (kBuckets - 1)];
      if (bucket.cursor == 0) bucket.front = bucket.cursor = pool_.Take(memory_);
      Write(bucket, unit);
    }
    Release(due.front);
    due = {Head(kDue), Head(kDue)};
    for (Chain& bucket : buckets) {
      while (bucket.front != bucket.cursor) Write(due, Read(bucket));
      if (bucket.cursor != 0) Release(bucket.front);
    }
  }
}

}  // namespace timeout_wheel
