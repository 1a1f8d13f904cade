// The trace of a program, in 32-bit words: the calls to the wheel, and its answers. test/trace replays the calls in
// JavaScript and compares the answers.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "harness.h"

namespace timeout_wheel {

/// A call and its operands. test/trace/replay.ts has the same list.
enum class Call : std::uint32_t {
  kOpenEpoch,   // the clock, as a double's two words             -> kEpochEnd
  kCloseEpoch,  // the same                                       -> the same
  kSet,         // unit, deadline, fraction
  kCancel,      // unit
  kTake,        //                                                -> kTick, kWake, kArmed
  kAdvance,     // target               -> kTick, kWake, kArmed, kUnfinished, kExpired, the units in the expirations
  kDispatched,  // the expirations have been consumed
  kGrow,        // blocks in all
  kHash,  //                                                -> a hash of all words that both sides use: without the
          //                                                chunks, and without words past the ends of queues
};

// An operation notes the fraction of its delay: eighths of a tick, or one of these.
inline constexpr std::uint32_t kWholeDelay = 8;
inline constexpr std::uint32_t kNotAdjusted = 9;

class Trace {
 public:
  explicit Trace(const Harness& harness) : harness_(harness) {}

  const std::vector<std::uint32_t>& calls() const { return calls_; }
  const std::vector<std::uint32_t>& answers() const { return answers_; }

  template <class... Words>
  void Add(Call call, Words... operands) {
    calls_.push_back(static_cast<std::uint32_t>(call));
    (calls_.push_back(operands), ...);
  }
  void AddEpoch(Call call, double clock) {
    std::uint64_t bits;
    std::memcpy(&bits, &clock, sizeof bits);
    Add(call, static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32));
    Answer(harness_.control(kEpochEnd));
  }
  /// Call this after adding a call and its answer.
  void EndStep() {
    if (++steps_ % kStepsPerHash == 0) AddHash();
  }
  void Answer(std::uint32_t word) { answers_.push_back(word); }
  void AnswerWake() {
    for (const ControlWord word : {kTick, kWake, kArmed}) Answer(harness_.control(word));
  }
  void AnswerExpired() {
    AnswerWake();
    Answer(harness_.control(kUnfinished));
    Answer(harness_.control(kExpired));
    for (std::uint32_t i = 0; i < harness_.control(kExpired); ++i) Answer(harness_.memory().expiration(i));
  }

 private:
  static constexpr std::uint32_t kStepsPerHash = 200;

  // FNV-1a, by words.
  void AddHash() {
    std::uint32_t hash = 0x811c9dc5;
    const auto add = [&](std::uint32_t begin, std::uint32_t count) {
      for (std::uint32_t i = begin; i < begin + count; ++i) hash = (hash ^ harness_.memory().word(i)) * 0x01000193;
    };
    // Without kInexact and kSince, which WebAssembly does not use.
    add(0, kInexact);
    add(kUsed, kSince - kUsed);
    add(kSince + 2, kSubmissionsWord + harness_.control(kSubmitted) - kSince - 2);
    add(kExpirationsWord, harness_.control(kExpired));
    for (std::uint32_t block = 0; block < harness_.blocks(); ++block) {
      add(kFirstBlockWord + block * kBlockWords, kRecordsPerBlock * kWordsPerUnit);
    }
    calls_.push_back(static_cast<std::uint32_t>(Call::kHash));
    Answer(hash);
  }

  const Harness& harness_;
  std::vector<std::uint32_t> calls_;
  std::vector<std::uint32_t> answers_;
  std::uint32_t steps_ = 0;
};

}  // namespace timeout_wheel
