// Many timers due in one tick, among a million others: the cost of all, and the longest single advance.
#include <vector>

#include "advance.h"
#include "designs/all.h"
#include "parts.h"
#include "workload.h"

namespace timeout_wheel::bench {
namespace {

constexpr Tick kBurstTick = 30000;

template <class D>
void Burst(benchmark::State& state, Limit& limit, std::size_t count) {
  constexpr std::size_t kOthers = 1000000;
  std::vector<Tick> deadlines = MakeDeadlines(Delays::kUniform, kOthers + count, kAged + 1);
  for (const std::uint32_t i : Shuffled(deadlines.size())) {
    if (i < count) deadlines[i] = kBurstTick;
  }
  D design(deadlines.size());
  FillAged(design, deadlines, limit);
  if (limit.Over()) return;
  std::size_t expired = 0;
  const auto expire = [&](auto handle) {
    benchmark::DoNotOptimize(handle);
    ++expired;
  };
  Tick now = kAged;
  for (; now + 1 < kBurstTick; design.Advance(++now, expire)) {
    if (now % 64 == 0 && limit.Over()) return;
  }
  const std::size_t before = expired;
  Longest longest;
  const Stopwatch watch;
  longest.Advance(design, kBurstTick, expire);
  Report(state, watch.Seconds(), static_cast<double>(std::max<std::size_t>(expired - before, 1)));
  state.counters["longest"] = longest.seconds() * 1e9;
}

}  // namespace

void RegisterBurst() {
  AllDesigns<ForEach>::Register("burst/one-tick/350000", []<class D>(D*) {
    return [](benchmark::State& state, Limit& limit) { Burst<D>(state, limit, 350000); };
  });
}

}  // namespace timeout_wheel::bench
