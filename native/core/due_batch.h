// The batch: the due timers of one tick, from when they leave their slot until they are handed over. A batch can have
// millions, so each step can stop at a bound of work and go on later.
//
// If the slot is in order, its chain is the batch. Otherwise its timers are added one by one, and sorted by seven bits
// of the sequence number at a time: each round moves the units from one set of buckets to the other.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "chains.h"

namespace timeout_wheel {

class DueBatch {
 public:
  static constexpr std::uint32_t kDigitBits = 7;
  static constexpr std::uint32_t kBuckets = 1U << kDigitBits;
  static constexpr std::uint32_t kChains = 2 * kBuckets;

  /// Begins a batch of what is in a chain.
  void Begin(const Chain& chain) {
    from_ = bucket_ = shift_ = 0;
    from()[0] = chain;
    buckets_ = 1;
    most_ = 0;
    least_ = UINT64_MAX;
  }
  /// Forgets all timers and their chunks.
  void Clear() { sets_ = {}; }

  void Add(ChainStore& store, Unit unit, std::uint64_t sequence) {
    least_ = std::min(least_, sequence);
    most_ = std::max(most_, sequence);
    store.Append(from()[0], unit);
  }

  /// Puts the batch in order. Returns false if the work is used up: call it again then.
  bool Sort(ChainStore& store, std::uint32_t& work) {
    const auto bits = static_cast<std::uint32_t>(std::bit_width(most_ - least_));
    for (; shift_ < bits; shift_ += kDigitBits) {
      for (; bucket_ < buckets_; ++bucket_) {
        const bool emptied = store.TakeAll(from()[bucket_], work, [&](Unit unit) {
          // A timer that was set again meanwhile has a higher number. It will not be handed over.
          const std::uint64_t digit = (store.memory().record(unit).sequence() - least_) >> shift_;
          store.Append(sets_[from_ ^ 1][digit & (kBuckets - 1)], unit);
        });
        if (!emptied) return false;
      }
      from_ ^= 1;
      bucket_ = 0;
      buckets_ = kBuckets;
    }
    return true;
  }

  /// Calls `take` for at most `work` timers, in order, as ChainStore::TakeAll does.
  template <class Take>
  bool TakeAll(ChainStore& store, std::uint32_t& work, Take&& take) {
    for (; bucket_ < buckets_; ++bucket_) {
      if (!store.TakeAll(from()[bucket_], work, take)) return false;
    }
    return true;
  }

  /// Calls `visit` for all chains of the batch.
  template <class Visit>
  void ForEachChain(Visit&& visit) {
    for (auto& set : sets_) {
      for (Chain& chain : set) visit(chain);
    }
  }

 private:
  friend class InvariantChecker;

  std::array<Chain, kBuckets>& from() { return sets_[from_]; }

  std::array<std::array<Chain, kBuckets>, 2> sets_{};
  std::uint32_t from_ = 0;
  /// The first bucket that may have timers, and the number of buckets in use.
  std::uint32_t bucket_ = 0;
  std::uint32_t buckets_ = 1;
  std::uint32_t shift_ = 0;
  std::uint64_t least_ = UINT64_MAX;
  std::uint64_t most_ = 0;
};

}  // namespace timeout_wheel
