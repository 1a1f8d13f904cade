// Typed access to the shared memory of one wheel. Holds only the address; layout.h has the offsets.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "layout.h"
#include "record.h"

namespace timeout_wheel {

class Memory {
 public:
#ifdef TIMEOUT_WHEEL_MEMORY_ADDRESS
  // WebAssembly has one wheel for each instance, always at the same address. A constant address takes no load.
  explicit Memory(void* /*address*/) {}
#else
  explicit Memory(void* address) : words_(static_cast<std::uint32_t*>(address)) {}
#endif

  std::uint32_t& word(std::uint32_t offset) const { return words_[offset]; }
  Record& record(Unit unit) const { return reinterpret_cast<Record*>(words_ + kFirstBlockWord)[unit]; }
  std::uint32_t& state(Unit unit) const { return words_[StateWord(unit)]; }

  /// A store that the compiler neither omits nor moves. The call after an interruption reads it.
  void set_flag(std::uint32_t offset, std::uint32_t value) const {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const_cast<volatile std::uint32_t&>(words_[offset]) = value;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  double real(std::size_t offset) const {
    double value;
    std::memcpy(&value, words_ + offset, sizeof value);
    return value;
  }
  void set_real(std::uint32_t offset, double value) const { std::memcpy(words_ + offset, &value, sizeof value); }

  /// Prefetches a unit's record and state. Any number is safe. Inlined: GCC omits a call that only prefetches.
  [[gnu::always_inline]] void Prefetch(Unit unit) const {
    PrefetchLine(&record(unit));
    PrefetchLine(words_ + StateWord(unit));
  }
  [[gnu::always_inline]] static void PrefetchLine([[maybe_unused]] const void* address) {
#ifndef __wasm__  // WebAssembly has no such instruction, but the code that computes the address would stay.
    __builtin_prefetch(address);
#endif
  }

 private:
#ifdef TIMEOUT_WHEEL_MEMORY_ADDRESS
  static inline std::uint32_t* const words_ = reinterpret_cast<std::uint32_t*>(TIMEOUT_WHEEL_MEMORY_ADDRESS);
#else
  std::uint32_t* words_;
#endif
};

}  // namespace timeout_wheel
