// A wheel with its memory and a submitter, driven by hand: a test schedules timers at ticks, and runs to a tick.
// The harness checks all invariants after every step, unless a test asks for fewer checks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "core/layout.h"
#include "core/memory.h"
#include "core/record.h"
#include "core/testing/invariants.h"
#include "core/testing/submitter.h"
#include "core/timer_wheel.h"

namespace timeout_wheel {

using Units = std::vector<Unit>;

inline void Add(Units& all, const Units& more) { all.insert(all.end(), more.begin(), more.end()); }

/// The memory of a wheel, as its owner provides it: zeroed, aligned, of exactly the requested size.
class OwnedMemory {
 public:
  explicit OwnedMemory(std::uint32_t blocks) : blocks_(kBaseBlocks + blocks) {}

  void* address() { return blocks_.data(); }

  /// Copies everything into new memory of `blocks` blocks, at least as many as before, and frees the old memory.
  void Move(std::uint32_t blocks) {
    std::vector<Block> moved(kBaseBlocks + blocks);
    std::copy(blocks_.begin(), blocks_.end(), moved.begin());
    blocks_ = std::move(moved);
  }

 private:
  struct alignas(128) Block {
    std::array<std::byte, kBlockBytes> bytes;
  };

  std::vector<Block> blocks_;
};

/// Called when a timer runs. Its record is free already.
using Callback = std::function<void(Unit)>;

class Harness {
 public:
  explicit Harness(Tick start = 0, std::uint32_t blocks = 1)
      : memory_(blocks), blocks_(blocks), wheel_(memory_.address(), blocks) {
    submitter_.emplace(wheel_, blocks);
    GoTo(start);
    Check();
  }

  TimerWheel& wheel() { return wheel_; }
  Submitter& submitter() { return *submitter_; }
  const Memory& memory() const { return wheel_.store().memory(); }
  Record& record(Unit unit) const { return memory().record(unit); }
  std::uint32_t control(std::uint32_t word) const { return memory().word(word); }
  std::uint32_t entries() const { return wheel_.store().entries(); }
  std::uint32_t chunks() const { return wheel_.store().pool().in_use(); }
  std::uint32_t blocks() const { return blocks_; }
  Tick tick() const { return wheel_.tick(); }
  bool unfinished() const { return control(kUnfinished) != 0; }
  bool armed() const { return control(kArmed) != 0; }
  Tick wake() const { return control(kWake); }

  Unit Schedule(Tick deadline) {
    const Unit unit = submitter_->Schedule(deadline);
    EXPECT_NE(unit, Submitter::kFull);
    CheckStep();
    return unit;
  }
  /// Schedules `count` timers, and checks the invariants once.
  Units ScheduleMany(std::uint32_t count, Tick deadline) {
    Units units(count);
    for (Unit& unit : units) unit = submitter_->Schedule(deadline);
    Check();
    return units;
  }
  void Cancel(Unit unit) {
    submitter_->Cancel(unit);
    CheckStep();
  }
  void Reschedule(Unit unit, Tick deadline) {
    submitter_->Reschedule(unit, deadline);
    CheckStep();
  }
  /// Files the submissions.
  void Take() {
    wheel_.TakeSubmissions();
    EXPECT_EQ(control(kSubmitted), 0U);
    EXPECT_EQ(control(kBusy), 0U);
    CheckStep();
  }

  /// Calls Advance once and dispatches the result. Returns the timers that ran, in order.
  Units Advance(Tick target) { return Dispatch(target, Expire(target)); }

  /// Calls Advance once without dispatching. Returns the number of expirations.
  std::uint32_t Expire(Tick target) {
    const std::uint32_t count = wheel_.Advance(target);
    EXPECT_EQ(count, control(kExpired));
    EXPECT_LE(count, kExpirationsCapacity);
    EXPECT_EQ(control(kTick), tick());
    EXPECT_EQ(control(kBusy), 0U);
    CheckStep();
    return count;
  }

  // Like every dispatch, looks again: a record may have been cancelled, postponed or recycled since it was found due.
  Units Dispatch(Tick target, std::uint32_t count) {
    Units ran;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Unit unit = memory().expiration(i);
      const Tick deadline = record(unit).deadline;
      if (deadline == kNever || Before(target, deadline)) continue;
      submitter_->Cancel(unit);
      ran.push_back(unit);
      if (callback_) callback_(unit);
    }
    memory().word(kExpired) = 0;
    CheckStep();
    return ran;
  }

  /// Advances until everything due at or before `target` has run.
  Units RunTo(Tick target) {
    const Tick end = Before(target, tick()) ? tick() : target + 1;
    Units ran;
    do {
      Add(ran, Advance(target));
    } while (unfinished());
    EXPECT_EQ(tick(), end);
    return ran;
  }

  /// Runs to the tick before `deadline`, when nothing may run, then to `deadline`. Returns the timers that ran.
  Units RunAt(Tick deadline) {
    if (deadline != tick()) {
      EXPECT_EQ(RunTo(deadline - 1), Units{}) << "early, before " << deadline;
    }
    return RunTo(deadline);
  }

  /// Checks the invariants only after each n-th step. For long programs, because a check is O(entries + records).
  void CheckOneIn(std::uint32_t n) { steps_per_check_ = n; }

  void OnExpiry(Callback callback) { callback_ = std::move(callback); }

  /// Adds any number of blocks, and moves the memory to another address.
  void Grow(std::uint32_t more) {
    memory_.Move(blocks_ + more);
    wheel_.Attach(memory_.address());
    Extend(blocks_ + more);
  }
  /// Uses `blocks` blocks of the memory, which must be as large.
  void Extend(std::uint32_t blocks) {
    blocks_ = blocks;
    wheel_.Extend(blocks);
    submitter_->Extend(blocks);
    Check();
  }
  /// Makes `tick` the next tick to process. Nothing is pending.
  void GoTo(Tick tick) {
    while (wheel_.tick() != tick) wheel_.Advance(wheel_.tick() + std::min(tick - wheel_.tick(), kMaxAdvance) - 1);
  }

  /// Leaves the wheel as an interrupted call may leave it: only the records and kUsed are intact. kBusy is set, and the
  /// slots and queues hold anything.
  void Interrupt() {
    std::mt19937 garbage(control(kOrder));
    for (std::uint32_t word = kHeadsWord; word < kFirstBlockWord; ++word) memory().word(word) = garbage();
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      const std::uint32_t first = kFirstBlockWord + block * kBlockWords;
      for (std::uint32_t word = kStackWord; word < kBlockWords; ++word) memory().word(first + word) = garbage();
    }
    constexpr std::uint32_t kGarbageUnits = 7;
    for (std::uint32_t i = 0; i < kGarbageUnits; ++i) memory().submission(i) = garbage();
    memory().word(kSubmitted) = kGarbageUnits;
    for (const ControlWord word : {kExpired, kUnfinished, kArmed, kWake}) memory().word(word) = garbage();
    memory().word(kBusy) = 1;
  }

  void Check() const { EXPECT_EQ(BrokenInvariant(wheel_, submitter_->used()), ""); }

 private:
  void CheckStep() {
    if (++steps_ % steps_per_check_ == 0) Check();
  }

  OwnedMemory memory_;
  std::uint32_t blocks_;
  TimerWheel wheel_;
  std::optional<Submitter> submitter_;
  Callback callback_;
  std::uint32_t steps_ = 0;
  std::uint32_t steps_per_check_ = 1;
};

}  // namespace timeout_wheel
