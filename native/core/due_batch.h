// The batch: the due timers of one tick, from when they leave their slot until they are handed over. A batch can have
// millions, so each step can stop at a bound of work and go on later.
//
// A batch begins as the chain of the slot. If that is not in order, it is sorted by seven bits of the sequence number
// at a time: each round moves the units from one set of buckets to the other.
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
  void Begin(const Chain& chain, bool in_order) {
    from_ = bucket_ = shift_ = 0;
    from()[0] = chain;
    buckets_ = 1;
    is_sorted_ = is_read_ = in_order;
    least_ = UINT64_MAX;
    most_ = 0;
  }
  /// Forgets all timers and their chunks.
  void Clear() { sets_ = {}; }

  /// Puts the batch in order. Returns false if the work is used up: call it again then.
  bool Sort(ChainStore& store, std::uint32_t& work) { return is_sorted_ || SortMany(store, work); }
  TIMEOUT_WHEEL_APART bool SortMany(ChainStore& store, std::uint32_t& work) {
    if (!is_read_) {
      const bool emptied = store.TakeAll(from()[0], work, [&](Unit unit) {
        const std::uint64_t sequence = store.memory().record(unit).sequence();
        least_ = std::min(least_, sequence);
        most_ = std::max(most_, sequence);
        store.Append(to()[0], unit);
      });
      if (!emptied) return false;
      from_ ^= 1;
      is_read_ = true;
    }
    const auto bits = static_cast<std::uint32_t>(std::bit_width(most_ - least_));
    for (; shift_ < bits; shift_ += kDigitBits) {
      for (; bucket_ < buckets_; ++bucket_) {
        const bool emptied = store.TakeAll(from()[bucket_], work, [&](Unit unit) {
          // The number of a timer that was set again meanwhile is higher. It will not be handed over.
          const std::uint64_t digit = (store.memory().record(unit).sequence() - least_) >> shift_;
          store.Append(to()[digit & (kBuckets - 1)], unit);
        });
        if (!emptied) return false;
      }
      from_ ^= 1;
      bucket_ = 0;
      buckets_ = kBuckets;
    }
    return is_sorted_ = true;
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
  std::array<Chain, kBuckets>& to() { return sets_[from_ ^ 1]; }

  std::array<std::array<Chain, kBuckets>, 2> sets_{};
  std::uint32_t from_ = 0;
  /// The first bucket that may have timers, and the number of buckets in use.
  std::uint32_t bucket_ = 0;
  std::uint32_t buckets_ = 1;
  std::uint32_t shift_ = 0;
  bool is_sorted_ = true;
  /// The least and the most sequence number are known.
  bool is_read_ = true;
  std::uint64_t least_ = UINT64_MAX;
  std::uint64_t most_ = 0;
};

}  // namespace timeout_wheel
