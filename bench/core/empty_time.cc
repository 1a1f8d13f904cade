// An hour in which nothing is due, and the question when to wake next. N timers are due after that hour.
#include <vector>

#include "designs/all.h"
#include "parts.h"
#include "workload.h"

namespace timeout_wheel::bench {
namespace {

constexpr Tick kHour = 3600000;

// Two to three hours from now.
std::vector<Tick> FarDeadlines(std::size_t count) {
  std::vector<Tick> deadlines = MakeDeadlines(Delays::kUniform, count, 2 * kHour);
  for (Tick& deadline : deadlines) deadline += (deadline % 60) * 60000;
  return deadlines;
}

template <class D>
void EmptyHour(benchmark::State& state, Limit& limit, std::size_t count) {
  D design(count);
  Fill(design, FarDeadlines(count), limit);
  if (limit.Over()) return;
  // A first minute, so that queued operations are done.
  Tick now = 60000;
  design.Advance(now, [](auto) {});
  std::size_t wakes = 0;
  std::size_t expired = 0;
  const Stopwatch watch;
  const Tick end = now + kHour;
  for (Tick next = design.NextExpiry(); next <= end; next = design.NextExpiry()) {
    now = std::max(now + 1, next);
    design.Advance(now, [&](auto) { ++expired; });
    if (++wakes % 4096 == 0 && limit.Over()) return;
  }
  design.Advance(end, [&](auto) { ++expired; });
  Report(state, watch.Seconds(), 1);
  state.counters["wakes"] = static_cast<double>(wakes);
  if (expired != 0) state.SkipWithError("a timer ran early");
}

// A timer that is due before all others, within a second, is scheduled and cancelled. The driver asks after each
// operation.
template <class D>
void NextExpiry(benchmark::State& state, Limit& limit, std::size_t count) {
  constexpr std::size_t kOperations = 200000;
  D design(count);
  Fill(design, FarDeadlines(count), limit);
  if (limit.Over()) return;
  const Tick now = 60000;
  design.Advance(now, [](auto) {});
  const Stopwatch watch;
  for (std::size_t i = 0; i < kOperations; ++i) {
    auto handle = design.Schedule(now + 1 + static_cast<Tick>(i * 619 % 1000));
    benchmark::DoNotOptimize(design.NextExpiry());
    design.Cancel(handle);
    benchmark::DoNotOptimize(design.NextExpiry());
    if (i % 1000 == 999) design.Settle();
    if (i % 4096 == 0 && limit.Over()) return;
  }
  Report(state, watch.Seconds(), kOperations);
}

}  // namespace

void RegisterEmptyTime() {
  using All = AllDesigns<ForEach>;
  for (const std::size_t count : {1000, 10000, 100000, 1000000, 10000000}) {
    All::Register(NameOfRow("empty-hour/far", count), [=]<class D>(D*) {
      return [=](benchmark::State& state, Limit& limit) { EmptyHour<D>(state, limit, count); };
    });
    All::Register(NameOfRow("next-expiry/far", count), [=]<class D>(D*) {
      return [=](benchmark::State& state, Limit& limit) { NextExpiry<D>(state, limit, count); };
    });
  }
}

}  // namespace timeout_wheel::bench
