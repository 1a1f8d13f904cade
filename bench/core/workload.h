// Shared by all parts of the benchmark: the kinds of delays, random orders that are made in advance, and the time limit
// of a cell.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "design.h"

namespace timeout_wheel::bench {

/// A cell is one design in one row. If a repetition takes longer than this, preparation included, the cell is over the
/// limit and has no further repetitions. TIMEOUT_WHEEL_BENCH_LIMIT sets it.
inline double SecondsPerCell() {
  static const char* setting = std::getenv("TIMEOUT_WHEEL_BENCH_LIMIT");
  static const double seconds = setting == nullptr ? 8 : std::strtod(setting, nullptr);
  return seconds;
}

enum class Delays {
  k30s,      // 30 s, while the clock advances between the timers: deadlines ascend over 30 s
  kUniform,  // 1 ms to 60 s
  kBimodal,  // 30 s for nine of ten, 1 to 1,000 ms for the tenth
  kOneSlot,  // multiples of 65,536 ms: one slot of every ring, in up to 512 rounds
};

inline const char* NameOf(Delays delays) {
  switch (delays) {
    case Delays::k30s: return "all-30s";
    case Delays::kUniform: return "uniform";
    case Delays::kBimodal: return "bimodal";
    case Delays::kOneSlot: return "one-slot";
  }
  return "";
}

inline constexpr Tick kSpan = 30000;  // ms over which timers of 30 s arrive

/// Deadlines of `count` timers in the order of their arrival, which starts at `from`. They are equal in each run.
inline std::vector<Tick> MakeDeadlines(Delays delays, std::size_t count, Tick from, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<Tick> deadlines(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto arrival = from + static_cast<Tick>(i * kSpan / count);
    const auto number = static_cast<std::uint32_t>(random() >> 32);
    switch (delays) {
      case Delays::k30s: deadlines[i] = arrival + 30000; break;
      case Delays::kUniform: deadlines[i] = from + 1 + number % 60000; break;
      case Delays::kBimodal: deadlines[i] = number % 10 != 0 ? arrival + 30000 : from + 1 + number / 10 % 1000; break;
      case Delays::kOneSlot: deadlines[i] = (from / 65536 + 1 + number % 512) * 65536; break;
    }
  }
  return deadlines;
}

inline std::vector<std::uint32_t> Shuffled(std::size_t count, std::uint64_t seed = 2) {
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(seed));
  return order;
}

/// The handles in random order. The program visits this list in order, so that only the access of the design to its
/// timer is random, not the access of the program to the handle.
template <class Handle>
std::vector<Handle> Permuted(const std::vector<Handle>& handles, std::uint64_t seed) {
  std::vector<Handle> permuted;
  permuted.reserve(handles.size());
  for (const std::uint32_t i : Shuffled(handles.size(), seed)) permuted.push_back(handles[i]);
  return permuted;
}

/// CPU time of this thread, so that other processes of a busy machine are not counted.
class Stopwatch {
 public:
  double Seconds() const { return Now() - start_; }
  void Restart() { start_ = Now(); }

 private:
  static double Now() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }

  double start_ = Now();
};

/// The time limit of one cell. Code that may run for very long calls `Over` now and then.
class Limit {
 public:
  Limit(benchmark::State& state, std::string cell) : state_(state), cell_(std::move(cell)) {
    skipped_ = TooSlow().contains(cell_);
    if (skipped_) Skip();
  }
  ~Limit() {
    if (watch_.Seconds() > SecondsPerCell()) TooSlow().insert(cell_);
  }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

  bool skipped() const { return skipped_; }
  bool Over() {
    if (!skipped_ && watch_.Seconds() > SecondsPerCell()) {
      skipped_ = true;
      Skip();
    }
    return skipped_;
  }

 private:
  void Skip() { state_.SkipWithError("over the limit"); }
  static std::set<std::string>& TooSlow() {
    static std::set<std::string> cells;
    return cells;
  }

  benchmark::State& state_;
  std::string cell_;
  Stopwatch watch_;
  bool skipped_ = false;
};

/// Reports the figure of a cell: nanoseconds per operation.
inline void Report(benchmark::State& state, double seconds, double operations) {
  state.SetIterationTime(seconds);
  state.counters["ns"] = seconds * 1e9 / operations;
}

/// Schedules all timers, and returns their handles in the order of arrival; none if that is over the limit.
template <class D>
std::vector<typename D::Handle> Fill(D& design, const std::vector<Tick>& deadlines, Limit& limit) {
  std::vector<typename D::Handle> handles;
  handles.reserve(deadlines.size());
  for (const Tick deadline : deadlines) {
    handles.push_back(design.Schedule(deadline));
    if (handles.size() % 65536 == 0 && limit.Over()) return {};
  }
  design.Settle();
  return handles;
}

/// The tick after Age.
inline constexpr Tick kAged = 2000;

/// Uses the memory of the timers once, and frees it in the given order. As in a process that has run for a while, the
/// following records are not adjacent. No timers remain.
template <class D>
void Age(D& design, const std::vector<std::uint32_t>& order, Limit& limit) {
  std::vector<Tick> deadlines(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) deadlines[i] = 500 + static_cast<Tick>(i % 500);
  const auto handles = Fill(design, deadlines, limit);
  if (handles.empty()) return;
  for (const std::uint32_t i : order) design.Cancel(handles[i]);
  design.Advance(kAged, [](auto) {});
}

/// Fills an aged design.
template <class D>
std::vector<typename D::Handle> FillAged(D& design, const std::vector<Tick>& deadlines, Limit& limit) {
  Age(design, Shuffled(deadlines.size(), 7), limit);
  return limit.Over() ? std::vector<typename D::Handle>() : Fill(design, deadlines, limit);
}

/// The name of a row without its design. (GCC 12 warns of a string literal plus a number's text, without a reason.)
inline std::string NameOfRow(std::string part, std::size_t count) {
  return part.append("/").append(std::to_string(count));
}

/// Registers `function<D>(state, cell, arguments ...)` for every design, as row/design.
template <class D, class F>
void RegisterCell(const std::string& row, F function) {
  const std::string cell = row + "/" + D::kTraits.name;
  benchmark::RegisterBenchmark(cell.c_str(),
                               [cell, function](benchmark::State& state) {
                                 Limit limit(state, cell);
                                 for (auto _ : state) {
                                   if (!limit.skipped()) function(state, limit);
                                 }
                               })
      ->Iterations(1)
      ->UseManualTime();
}

template <class... D>
struct ForEach {
  /// Calls `make` with a null pointer to each design. `make` returns the function that is measured.
  template <class F>
  static void Register(const std::string& row, F make) {
    (RegisterCell<D>(row, make(static_cast<D*>(nullptr))), ...);
  }
};

}  // namespace timeout_wheel::bench
