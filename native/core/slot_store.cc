#include "slot_store.h"

#include <algorithm>
#include <bit>

namespace timeout_wheel {

void SlotStore::SortDue() {
  const Chain& due = chains_[kDue];

  std::uint32_t least = UINT32_MAX;
  std::uint32_t most = 0;
  // Walk over the chain instead of calling Read, which would release the chunks.
  for (std::uint32_t at = due.front; at != due.cursor; ++at) {
    if ((at & kChunkLink) == kChunkLink) at = memory_.word(at);
    const std::uint32_t order = memory_.record(memory_.word(at)).order;
    least = std::min(least, order);
    most = std::max(most, order);
  }

  const auto bits = static_cast<std::uint32_t>(std::bit_width(most - least));
  for (std::uint32_t shift = 0; shift < bits; shift += kDigitBits) {
    while (!Empty(kDue)) {
      const Unit unit = Pop(kDue);
      Append(kChains + (((memory_.record(unit).order - least) >> shift) & (kBuckets - 1)), unit);
    }
    for (std::uint32_t bucket = kChains; bucket < kChains + kBuckets; ++bucket) {
      while (!Empty(bucket)) Append(kDue, Pop(bucket));
    }
  }
}

}  // namespace timeout_wheel
