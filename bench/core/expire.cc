// Expiry with cascades: all timers expire, and the driver sleeps from one expiry to the next. With bimodal delays the
// timers of 30 s are cancelled at random before they are due, which is timed too.
#include <vector>

#include "designs/all.h"
#include "parts.h"
#include "workload.h"

namespace timeout_wheel::bench {
namespace {

// Wake-ups between two readings of the clock.
constexpr std::size_t kWakesPerLook = 256;

template <class D>
void Expire(benchmark::State& state, Limit& limit, Delays delays, std::size_t count) {
  const std::vector<Tick> deadlines = MakeDeadlines(delays, count, kAged + 1);
  const std::size_t rounds = std::max<std::size_t>(1, 100000 / count);
  double seconds = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    D design(count);
    FillAged(design, deadlines, limit);
    if (limit.Over()) return;
    std::size_t expired = 0;
    std::size_t wakes = 0;
    const Stopwatch watch;
    for (Tick now = kAged; expired < count;) {
      now = std::max(now + 1, design.NextExpiry());
      design.Advance(now, [&](auto handle) {
        benchmark::DoNotOptimize(handle);
        ++expired;
      });
      if (++wakes % kWakesPerLook == 0 && limit.Over()) return;
    }
    seconds += watch.Seconds();
  }
  Report(state, seconds, static_cast<double>(count * rounds));
}

constexpr std::size_t kCancelSpan = 29000;  // ms

// The timers of 30 s in random order. They are cancelled over the 29 s before the first of them is due.
std::vector<std::uint32_t> Victims(const std::vector<Tick>& deadlines) {
  std::vector<std::uint32_t> victims;
  for (const std::uint32_t i : Shuffled(deadlines.size())) {
    if (deadlines[i] > kAged + 30000) victims.push_back(i);
  }
  return victims;
}

template <class D>
void ExpireBimodal(benchmark::State& state, Limit& limit, std::size_t count) {
  const std::vector<Tick> deadlines = MakeDeadlines(Delays::kBimodal, count, kAged + 1);
  const std::vector<std::uint32_t> victims = Victims(deadlines);
  const std::size_t rounds = std::max<std::size_t>(1, 100000 / count);
  double seconds = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    D design(count);
    const auto handles = FillAged(design, deadlines, limit);
    if (limit.Over()) return;
    std::size_t cancelled = 0;
    std::size_t expired = 0;
    std::size_t wakes = 0;
    // The tick at which the next victim is cancelled.
    const auto next_victim = [&] {
      return cancelled == victims.size() ? kNoExpiry
                                         : kAged + 1 + static_cast<Tick>(cancelled * kCancelSpan / victims.size());
    };
    const Stopwatch watch;
    for (Tick now = kAged; expired + cancelled < count;) {
      now = std::max(now + 1, std::min(next_victim(), design.NextExpiry()));
      for (; next_victim() <= now; ++cancelled) design.Cancel(handles[victims[cancelled]]);
      design.Advance(now, [&](auto handle) {
        benchmark::DoNotOptimize(handle);
        ++expired;
      });
      if (++wakes % kWakesPerLook == 0 && limit.Over()) return;
    }
    seconds += watch.Seconds();
    if (expired != count - victims.size()) return state.SkipWithError("a cancelled timer ran");
  }
  Report(state, seconds, static_cast<double>(count * rounds));
}

}  // namespace

void RegisterExpire() {
  using All = AllDesigns<ForEach>;
  for (const std::size_t count : {1000, 10000, 100000, 1000000, 10000000}) {
    for (const Delays delays : {Delays::k30s, Delays::kUniform, Delays::kOneSlot}) {
      All::Register(NameOfRow(std::string("expire/") + NameOf(delays), count), [=]<class D>(D*) {
        return [=](benchmark::State& state, Limit& limit) { Expire<D>(state, limit, delays, count); };
      });
    }
    All::Register(NameOfRow("expire/bimodal", count), [=]<class D>(D*) {
      return [=](benchmark::State& state, Limit& limit) { ExpireBimodal<D>(state, limit, count); };
    });
  }
}

}  // namespace timeout_wheel::bench
