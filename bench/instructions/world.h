// A wheel with its memory and a submitter. It checks and allocates nothing while it runs.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "core/layout.h"
#include "core/memory.h"
#include "core/testing/submitter.h"
#include "core/timer_wheel.h"

namespace timeout_wheel {

class World {
 public:
  explicit World(std::uint32_t timers)
      : blocks_((timers + kRecordsPerBlock - 1) / kRecordsPerBlock),
        bytes_(Allocate(blocks_)),
        wheel_(bytes_.get(), blocks_),
        submitter_(wheel_, blocks_) {}

  TimerWheel& wheel() { return wheel_; }
  Submitter& submitter() { return submitter_; }
  const std::vector<Unit>& units() const { return units_; }
  std::uint32_t entry_limit() const { return 2 * blocks_ * kRecordsPerBlock; }

  /// Draws the deadlines of `count` timers: random ticks from `first` on, within `range` ticks.
  void Draw(std::uint32_t count, Tick first, std::uint32_t range) {
    deadlines_.resize(count);
    for (Tick& deadline : deadlines_) deadline = first + static_cast<Tick>(random_() % range);
    units_.resize(count);
  }
  /// Schedules a timer for each drawn deadline, and lets the wheel file all of them.
  void Schedule() {
    for (std::size_t i = 0; i < units_.size(); ++i) units_[i] = submitter_.Schedule(deadlines_[i]);
    wheel_.TakeSubmissions();
  }

  /// Expires all timers that are due by `target`, and frees their records.
  void RunTo(Tick target) {
    const Memory memory(bytes_.get());
    do {
      const std::uint32_t count = wheel_.Advance(target);
      for (std::uint32_t i = 0; i < count; ++i) submitter_.Cancel(memory.expiration(i));
      memory.word(kExpired) = 0;
    } while (memory.word(kUnfinished) != 0);
  }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  static std::unique_ptr<std::byte, Free> Allocate(std::uint32_t blocks) {
    const std::size_t size = (kBaseBlocks + std::size_t{blocks}) * kBlockBytes;
    std::unique_ptr<std::byte, Free> bytes(static_cast<std::byte*>(std::aligned_alloc(128, size)));
    std::memset(bytes.get(), 0, size);
    return bytes;
  }

  std::uint32_t blocks_;
  std::unique_ptr<std::byte, Free> bytes_;
  TimerWheel wheel_;
  Submitter submitter_;
  std::vector<Tick> deadlines_;
  std::vector<Unit> units_;
  // Its numbers are equal in each run and on every machine.
  std::mt19937 random_{1};
};

}  // namespace timeout_wheel
