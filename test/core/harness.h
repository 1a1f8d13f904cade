// A wheel with its memory, a client and a clock that stands still until the test moves it. The harness checks all
// invariants after every step, unless a test asks for fewer checks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "core/layout.h"
#include "core/memory.h"
#include "core/record.h"
#include "core/testing/client.h"
#include "core/testing/invariants.h"
#include "core/timer_wheel.h"

namespace timeout_wheel {

using Units = std::vector<Unit>;

/// The memory of a wheel, as its owner provides it: zeroed, aligned, of exactly the requested size.
class OwnedMemory {
 public:
  explicit OwnedMemory(std::uint32_t blocks) : pages_(PagesFor(blocks)) {}

  void* address() { return pages_.data(); }

  /// Copies everything into new memory of `blocks` blocks, at least as many as before, and frees the old memory.
  void Move(std::uint32_t blocks) {
    std::vector<Page> moved(PagesFor(blocks));
    std::copy(pages_.begin(), pages_.end(), moved.begin());
    pages_ = std::move(moved);
  }

 private:
  struct alignas(128) Page {
    std::array<std::byte, kWasmGrowth> bytes;
  };
  static std::size_t PagesFor(std::uint32_t blocks) {
    return (kBaseBytes + std::size_t{blocks} * kBlockBytes) / kWasmGrowth;
  }

  std::vector<Page> pages_;
};

/// Called when a timer runs. Its unit is free already.
using Callback = std::function<void(Unit)>;

struct HarnessOptions {
  double start = 0;  // milliseconds
  std::uint32_t blocks = 1;
  double ticks_per_ms = 1;
};

class Harness {
 public:
  using Options = HarnessOptions;

  explicit Harness(const Options& options = {})
      : now_(options.start),
        blocks_(options.blocks),
        memory_(options.blocks),
        wheel_(memory_.address(), options.blocks, options.ticks_per_ms),
        client_(wheel_, options.blocks, [this] { return ReadClock(); }) {
    Apply();
  }

  TimerWheel& wheel() { return wheel_; }
  Client& client() { return client_; }
  Memory memory() const { return wheel_.store().memory(); }
  Record& record(Unit unit) const { return memory().record(unit); }
  std::uint32_t& control(std::uint32_t word) const { return memory().word(word); }
  std::uint32_t entries() const { return wheel_.store().entries(); }
  std::uint32_t chunks() const { return wheel_.store().chunks_in_use(); }
  std::uint32_t blocks() const { return blocks_; }
  bool unfinished() const { return control(kUnfinished) != 0; }
  double now() const { return now_; }
  double due(Unit unit) const { return record(unit).due; }

  /// Lets time pass. Timers run only in Expire.
  void Pass(double ms) { now_ += ms; }
  void PassTo(double now) { now_ = std::max(now_, now); }

  Unit Set(double delay) {
    const Unit unit = client_.Set(delay);
    EXPECT_NE(unit, Client::kFull);
    CheckStep();
    return unit;
  }
  /// Sets `count` timers, and checks the invariants once.
  Units SetMany(std::uint32_t count, double delay) {
    Units units(count);
    for (Unit& unit : units) unit = client_.Set(delay);
    Check();
    return units;
  }
  void Move(Unit unit, double delay) {
    client_.Move(unit, delay);
    CheckStep();
  }
  void Cancel(Unit unit) {
    client_.Cancel(unit);
    CheckStep();
  }
  void Apply() {
    wheel_.Apply(ReadClock());
    EXPECT_EQ(control(kQueued), 0U);
    CheckStep();
  }
  /// What a driver does before the event loop sleeps. Returns when the loop must wake.
  double EndTurn() {
    Apply();
    wheel_.BeginTurn();
    const double wake = wheel_.FindWake();
    CheckStep();
    return wake;
  }

  /// Begins a pass, or goes on with one, and runs what it hands over. Returns the timers that ran, in order.
  /// @param lag begins it for so much less than the present time, as pages do whose clock can be ahead
  Units Expire(double lag = 0) {
    Begin(lag);
    return Dispatch();
  }
  /// The same without running anything.
  void Begin(double lag = 0) {
    if (lag != 0) wheel_.Apply(ReadClock());
    const std::uint32_t count = unfinished() ? wheel_.Resume(ReadClock()) : wheel_.Expire(ReadClock() - lag);
    EXPECT_EQ(count, control(kExpired));
    EXPECT_LE(count, kExpirationsCapacity);
    EXPECT_EQ(control(kBusy), 0U);
    CheckStep();
  }
  Units Dispatch() {
    Units ran;
    client_.Dispatch([&](Unit unit) {
      ran.push_back(unit);
      EXPECT_LE(due(unit), now_) << "early";
      if (callback_) callback_(unit);
    });
    CheckStep();
    return ran;
  }
  /// Runs everything that is due at the present time.
  Units Run() {
    Units ran;
    do {
      const Units more = Expire();
      ran.insert(ran.end(), more.begin(), more.end());
    } while (unfinished());
    return ran;
  }
  /// Goes from one wake-up to the next, as a driver does, until `time`.
  Units RunTo(double time) {
    Units ran;
    for (;;) {
      const double wake = EndTurn();
      if (wake > time) break;
      PassTo(wake);
      ++wakes_;
      const Units more = Run();
      ran.insert(ran.end(), more.begin(), more.end());
    }
    PassTo(time);
    return ran;
  }
  /// The wake-ups of RunTo.
  std::uint32_t wakes() const { return wakes_; }

  /// Checks the invariants only after each n-th step. For long programs, because a check is O(entries + records).
  void CheckOneIn(std::uint32_t n) { steps_per_check_ = n; }
  void OnExpiry(Callback callback) { callback_ = std::move(callback); }
  /// Called before the queue is applied.
  void OnApply(std::function<void()> on_apply) { on_apply_ = std::move(on_apply); }

  /// Adds any number of blocks, and moves the memory to another address.
  void Grow(std::uint32_t more) {
    blocks_ += more;
    memory_.Move(blocks_);
    wheel_.Attach(memory_.address());
    wheel_.Extend(blocks_);
    client_.Extend(blocks_);
    Check();
  }

  /// Leaves the wheel as an interrupted call may leave it: only the records' due times, the states, the queue and kUsed
  /// are intact.
  void Interrupt() {
    std::mt19937 garbage(steps_);
    for (std::uint32_t i = 0; i < kChunksInBase * kChunkWords; ++i) memory().word(kBaseChunksWord + i) = garbage();
    for (std::uint32_t block = 0; block < blocks_; ++block) {
      const std::uint32_t first = kFirstBlockWord + block * kBlockWords;
      for (std::uint32_t word = kChunksWord; word < kBlockWords; ++word) memory().word(first + word) = garbage();
    }
    for (std::uint32_t n = 0; n < client_.used(); ++n) record(UnitOfRecord(n)).set_filed(garbage() & 0xffff);
    for (const ControlWord word : {kExpired, kUnfinished, kWake}) control(word) = garbage();
    control(kBusy) = 1;
  }

  void Check() const { EXPECT_EQ(BrokenInvariant(wheel_, client_.used()), ""); }

 private:
  double ReadClock() {
    if (on_apply_) on_apply_();
    return now_;
  }
  void CheckStep() {
    if (++steps_ % steps_per_check_ == 0) Check();
  }

  double now_;
  std::uint32_t blocks_;
  OwnedMemory memory_;
  TimerWheel wheel_;
  Client client_;
  Callback callback_;
  std::function<void()> on_apply_;
  std::uint32_t wakes_ = 0;
  std::uint32_t steps_ = 0;
  std::uint32_t steps_per_check_ = 1;
};

}  // namespace timeout_wheel
