// Shared by all parts of the benchmark: the kinds of delays, random orders that are made in advance, and the cells.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <initializer_list>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "design.h"

namespace timeout_wheel::bench {

/// Seconds. A cell is one design in one row. If a repetition takes longer than this, preparation included, the cell is
/// over the limit and has no further repetitions. TIMEOUT_WHEEL_BENCH_LIMIT sets it.
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
  kFar,      // two to three hours
  kOneTick,  // uniform, and very many in one tick
};

inline const char* NameOf(Delays delays) {
  constexpr const char* kNames[] = {"all-30s", "uniform", "bimodal", "one-slot", "far", "one-tick"};
  return kNames[static_cast<std::size_t>(delays)];
}

inline constexpr Tick kHour = 3600000;
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
      case Delays::kOneTick:
      case Delays::kUniform: deadlines[i] = from + 1 + number % 60000; break;
      case Delays::kFar: {
        const Tick tick = from + 2 * kHour + 1 + number % 60000;
        deadlines[i] = tick + (tick % 60) * 60000;
        break;
      }
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

 private:
  static double Now() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  }

  double start_ = Now();
};

/// One repetition of one design in one row: its time limit and its figures. Code that may run for very long calls
/// `Over` now and then, and returns if it is true.
class Cell {
 public:
  Cell(benchmark::State& state, std::string name, Delays delays, std::size_t count)
      : delays(delays), count(count), state_(state), name_(std::move(name)) {
    if (TooSlow().contains(name_)) Fail(kOverLimit);
  }
  ~Cell() {
    if (watch_.Seconds() > SecondsPerCell()) TooSlow().insert(name_);
  }
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;

  bool Over() {
    const bool over = watch_.Seconds() > SecondsPerCell();
    if (over) Fail(kOverLimit);
    return over;
  }
  void Fail(const char* why) { state_.SkipWithError(why); }
  /// The figure of the cell: nanoseconds per operation.
  void Report(double seconds, double operations) { Count("ns", seconds * 1e9 / operations); }
  void Count(const char* counter, double value) { state_.counters[counter] = value; }

  const Delays delays;
  const std::size_t count;

 private:
  static constexpr const char* kOverLimit = "over the limit";

  static std::set<std::string>& TooSlow() {
    static std::set<std::string> cells;
    return cells;
  }

  benchmark::State& state_;
  std::string name_;
  Stopwatch watch_;
};

/// Advances call by call and keeps the longest call: the time for which an event loop would be blocked.
class Longest {
 public:
  /// Advances to `now`. If a design works in bounded parts, each part is a separate call, because a host does other
  /// work between the parts.
  template <class D, class F>
  void Advance(D& design, Tick now, F&& expired) {
    bool finished = true;
    do {
      const Stopwatch watch;
      if constexpr (requires { design.AdvancePart(now, expired); }) {
        finished = design.AdvancePart(now, expired);
      } else {
        design.Advance(now, expired);
      }
      seconds_ = std::max(seconds_, watch.Seconds());
    } while (!finished);
  }

  double seconds() const { return seconds_; }

 private:
  double seconds_ = 0;
};

/// Schedules all timers, and returns their handles in the order of arrival; none if that is over the limit.
template <class D>
std::vector<typename D::Handle> Fill(D& design, const std::vector<Tick>& deadlines, Cell& cell) {
  std::vector<typename D::Handle> handles;
  handles.reserve(deadlines.size());
  for (const Tick deadline : deadlines) {
    handles.push_back(design.Schedule(deadline));
    if (handles.size() % 65536 == 0 && cell.Over()) return {};
  }
  design.Settle();
  return handles;
}

/// The tick after Age.
inline constexpr Tick kAged = 2000;

/// Uses the memory of the timers once, and frees it in the given order. As in a process that has run for a while, the
/// following records are not adjacent. No timers remain.
template <class D>
void Age(D& design, const std::vector<std::uint32_t>& order, Cell& cell) {
  std::vector<Tick> deadlines(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) deadlines[i] = 500 + static_cast<Tick>(i % 500);
  const auto handles = Fill(design, deadlines, cell);
  if (handles.empty()) return;
  for (const std::uint32_t i : order) design.Cancel(handles[i]);
  design.Advance(kAged, [](auto) {});
}

/// Fills an aged design.
template <class D>
std::vector<typename D::Handle> FillAged(D& design, const std::vector<Tick>& deadlines, Cell& cell) {
  Age(design, Shuffled(deadlines.size(), 7), cell);
  return cell.Over() ? std::vector<typename D::Handle>() : Fill(design, deadlines, cell);
}

/// Measures `run(design, handles)` on new designs, of which `prepare(design, round)` has scheduled the timers: once, or
/// until there are about `least` operations, because the clock is too coarse for small wheels.
template <class D, class Prepare, class Run>
void MeasureRounds(Cell& cell, std::size_t least, Prepare prepare, Run run) {
  const std::size_t rounds = std::max<std::size_t>(1, least / cell.count);
  double seconds = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    D design(cell.count);
    auto handles = prepare(design, round);
    if (cell.Over()) return;
    const Stopwatch watch;
    run(design, handles);
    seconds += watch.Seconds();
    if (cell.Over()) return;
  }
  cell.Report(seconds, static_cast<double>(cell.count * rounds));
}

/// Registers `function<D>(cell)` as the cell `part/delays/count/design`.
template <Design D, class F>
void RegisterCell(const char* part, Delays delays, std::size_t count, F function) {
  const std::string name =
      std::string(part) + "/" + NameOf(delays) + "/" + std::to_string(count) + "/" + D::kTraits.name;
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    Cell cell(state, name, delays, count);
    for (auto _ : state) function.template operator()<D>(cell);
  })->Iterations(1);
}

/// The delays and the counts of most rows.
inline constexpr std::initializer_list<Delays> kKinds = {Delays::k30s, Delays::kUniform, Delays::kBimodal,
                                                         Delays::kOneSlot};
inline constexpr std::initializer_list<std::size_t> kCounts = {1000, 10000, 100000, 1000000, 10000000};

template <class... D>
struct ForEach {
  /// A row for each kind of delays and each count, with a cell for each design.
  template <class F>
  static void Rows(const char* part, std::initializer_list<Delays> kinds, std::initializer_list<std::size_t> counts,
                   F function) {
    for (const Delays delays : kinds) {
      for (const std::size_t count : counts) (RegisterCell<D>(part, delays, count, function), ...);
    }
  }
};

// Each file registers its rows.
void RegisterOperations();
void RegisterTime();
void RegisterService();
void RegisterBytes();

}  // namespace timeout_wheel::bench
