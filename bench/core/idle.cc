// N idle connections, each with an idle timer of 30 s. Each timer is refreshed once in 10 s, in random order, while
// time advances. Nothing expires.
#include <vector>

#include "designs/all.h"
#include "parts.h"
#include "workload.h"

namespace timeout_wheel::bench {
namespace {

constexpr Tick kIdle = 30000;
constexpr Tick kRound = 10000;
// The timed part lasts as long as the idle time, and starts half of it after a multiple. So it contains once the work
// that a design defers until the first refreshed deadline.
constexpr Tick kWarmUp = kIdle + kIdle / 2;
constexpr Tick kTimed = kIdle;

template <class D>
void Idle(benchmark::State& state, Limit& limit, std::size_t count) {
  D design(count);
  std::vector<typename D::Handle> handles;
  for (std::size_t i = 0; i < count; ++i) handles.push_back(design.Schedule(kIdle));
  if (limit.Over()) return;
  handles = Permuted(handles, 2);
  std::size_t next = 0;
  std::size_t expired = 0;
  Stopwatch watch;
  for (Tick now = 1; now <= kWarmUp + kTimed; ++now) {
    if (now == kWarmUp + 1) watch.Restart();
    const std::size_t end = count * ((now - 1) % kRound + 1) / kRound;
    for (; next < end; ++next) handles[next] = design.Reschedule(handles[next], now + kIdle);
    if (next == count) next = 0;
    // Like a driver: advance only when it is needed.
    if (design.NextExpiry() <= now) design.Advance(now, [&](auto) { ++expired; });
    if (now % 64 == 0 && limit.Over()) return;
  }
  Report(state, watch.Seconds(), static_cast<double>(count) * kTimed / kRound);
  if (expired != 0) state.SkipWithError("a refreshed timer ran");
}

}  // namespace

void RegisterIdle() {
  for (const std::size_t count : {10000, 100000, 1000000, 10000000}) {
    AllAndNothing<ForEach>::Register(NameOfRow("idle/all-30s", count), [=]<class D>(D*) {
      return [=](benchmark::State& state, Limit& limit) { Idle<D>(state, limit, count); };
    });
  }
}

}  // namespace timeout_wheel::bench
