// Time that passes: timers that expire, timers that are refreshed, and hours in which nothing is due.
#include <vector>

#include "designs/all.h"
#include "workload.h"

namespace timeout_wheel::bench {
namespace {

// Wake-ups between two readings of the clock.
constexpr std::size_t kWakesPerLook = 256;
constexpr std::size_t kCancelSpan = 29000;  // ms

// The timers of 30 s in random order, if the delays are bimodal. They are cancelled over the 29 s before the first of
// them is due.
std::vector<std::uint32_t> Victims(Delays delays, const std::vector<Tick>& deadlines) {
  std::vector<std::uint32_t> victims;
  if (delays != Delays::kBimodal) return victims;
  for (const std::uint32_t i : Shuffled(deadlines.size())) {
    if (deadlines[i] > kAged + 30000) victims.push_back(i);
  }
  return victims;
}

// Expiry with cascades: all timers expire, or are cancelled before, and the driver sleeps from one expiry to the next.
template <class D>
void Expire(Cell& cell) {
  const std::vector<Tick> deadlines = MakeDeadlines(cell.delays, cell.count, kAged + 1);
  const std::vector<std::uint32_t> victims = Victims(cell.delays, deadlines);
  const auto prepare = [&](D& design, std::size_t) { return FillAged(design, deadlines, cell); };
  MeasureRounds<D>(cell, 100000, prepare, [&](D& design, const auto& handles) {
    std::size_t cancelled = 0;
    std::size_t expired = 0;
    std::size_t wakes = 0;
    // The tick at which the next victim is cancelled.
    const auto next_victim = [&] {
      return cancelled == victims.size() ? kNoExpiry
                                         : kAged + 1 + static_cast<Tick>(cancelled * kCancelSpan / victims.size());
    };
    for (Tick now = kAged; expired + cancelled < cell.count;) {
      now = std::max(now + 1, std::min(next_victim(), design.NextExpiry()));
      for (; next_victim() <= now; ++cancelled) design.Cancel(handles[victims[cancelled]]);
      design.Advance(now, [&](auto handle) {
        benchmark::DoNotOptimize(handle);
        ++expired;
      });
      if (++wakes % kWakesPerLook == 0 && cell.Over()) return;
    }
    if (expired != cell.count - victims.size()) cell.Fail("a cancelled timer ran");
  });
}

constexpr Tick kFirstMinute = 60000;

// Schedules timers that are due after more than an hour. In the first minute, queued operations are done.
template <class D>
void FillFar(D& design, Cell& cell) {
  Fill(design, MakeDeadlines(Delays::kFar, cell.count, 0), cell);
  if (!cell.Over()) design.Advance(kFirstMinute, [](auto) {});
}

// An hour in which nothing is due. All timers are due after it.
template <class D>
void EmptyHour(Cell& cell) {
  D design(cell.count);
  FillFar(design, cell);
  if (cell.Over()) return;
  Tick now = kFirstMinute;
  std::size_t wakes = 0;
  std::size_t expired = 0;
  const Stopwatch watch;
  const Tick end = now + kHour;
  for (Tick next = design.NextExpiry(); next <= end; next = design.NextExpiry()) {
    now = std::max(now + 1, next);
    design.Advance(now, [&](auto) { ++expired; });
    if (++wakes % 4096 == 0 && cell.Over()) return;
  }
  design.Advance(end, [&](auto) { ++expired; });
  cell.Report(watch.Seconds(), 1);
  cell.Count("wakes", static_cast<double>(wakes));
  if (expired != 0) cell.Fail("a timer ran early");
}

// The question when to wake next. A timer that is due before all others, within a second, is scheduled and cancelled.
// The driver asks after each operation.
template <class D>
void NextExpiry(Cell& cell) {
  constexpr std::size_t kOperations = 200000;
  D design(cell.count);
  FillFar(design, cell);
  if (cell.Over()) return;
  const Stopwatch watch;
  for (std::size_t i = 0; i < kOperations; ++i) {
    auto handle = design.Schedule(kFirstMinute + 1 + static_cast<Tick>(i * 619 % 1000));
    benchmark::DoNotOptimize(design.NextExpiry());
    design.Cancel(handle);
    benchmark::DoNotOptimize(design.NextExpiry());
    if (i % 1000 == 999) design.Settle();
    if (i % 4096 == 0 && cell.Over()) return;
  }
  cell.Report(watch.Seconds(), kOperations);
}

constexpr Tick kIdle = 30000;
constexpr Tick kRound = 10000;
// The timed part lasts as long as the idle time, and starts half of it after a multiple. So it contains once the work
// that a design defers until the first refreshed deadline.
constexpr Tick kWarmUp = kIdle + kIdle / 2;

// Idle connections, each with an idle timer of 30 s. Each timer is refreshed once in 10 s, in random order, while time
// advances. Nothing expires.
template <class D>
void Idle(Cell& cell) {
  D design(cell.count);
  auto handles = Permuted(Fill(design, std::vector<Tick>(cell.count, kIdle), cell), 2);
  if (cell.Over()) return;
  std::size_t next = 0;
  std::size_t expired = 0;
  Stopwatch watch;
  for (Tick now = 1; now <= kWarmUp + kIdle; ++now) {
    if (now == kWarmUp + 1) watch = Stopwatch();
    const std::size_t end = cell.count * ((now - 1) % kRound + 1) / kRound;
    for (; next < end; ++next) handles[next] = design.Reschedule(handles[next], now + kIdle);
    if (next == cell.count) next = 0;
    // Like a driver: advance only when it is needed.
    if (design.NextExpiry() <= now) design.Advance(now, [&](auto) { ++expired; });
    if (now % 64 == 0 && cell.Over()) return;
  }
  cell.Report(watch.Seconds(), static_cast<double>(cell.count) * kIdle / kRound);
  if (expired != 0) cell.Fail("a refreshed timer ran");
}

constexpr Tick kBurstTick = 30000;
constexpr std::size_t kOthers = 1000000;

// Many timers due in one tick, among a million others: the cost of all, and the longest single advance.
template <class D>
void Burst(Cell& cell) {
  std::vector<Tick> deadlines = MakeDeadlines(Delays::kUniform, kOthers + cell.count, kAged + 1);
  for (const std::uint32_t i : Shuffled(deadlines.size())) {
    if (i < cell.count) deadlines[i] = kBurstTick;
  }
  D design(deadlines.size());
  FillAged(design, deadlines, cell);
  if (cell.Over()) return;
  std::size_t expired = 0;
  const auto expire = [&](auto handle) {
    benchmark::DoNotOptimize(handle);
    ++expired;
  };
  Tick now = kAged;
  for (; now + 1 < kBurstTick; design.Advance(++now, expire)) {
    if (now % 64 == 0 && cell.Over()) return;
  }
  const std::size_t before = expired;
  Longest longest;
  const Stopwatch watch;
  longest.Advance(design, kBurstTick, expire);
  cell.Report(watch.Seconds(), static_cast<double>(std::max<std::size_t>(expired - before, 1)));
  cell.Count("longest", longest.seconds() * 1e9);
}

}  // namespace

void RegisterTime() {
  using All = AllDesigns<ForEach>;
  All::Rows("expire", kKinds, kCounts, []<class D>(Cell& cell) { Expire<D>(cell); });
  All::Rows("empty-hour", {Delays::kFar}, kCounts, []<class D>(Cell& cell) { EmptyHour<D>(cell); });
  All::Rows("next-expiry", {Delays::kFar}, kCounts, []<class D>(Cell& cell) { NextExpiry<D>(cell); });
  AllDesigns<ForEach, Nothing>::Rows("idle", {Delays::k30s}, {10000, 100000, 1000000, 10000000},
                                     []<class D>(Cell& cell) { Idle<D>(cell); });
  All::Rows("burst", {Delays::kOneTick}, {350000}, []<class D>(Cell& cell) { Burst<D>(cell); });
}

}  // namespace timeout_wheel::bench
