// Insert, cancel, insert and cancel, reschedule: the clock stands still, and nothing is due. Operations that a design
// queues for the tick are taken every 1,000 operations, in the timed part.
#include <vector>

#include "designs/all.h"
#include "parts.h"
#include "workload.h"

namespace timeout_wheel::bench {
namespace {

constexpr std::size_t kOperationsPerTick = 1000;
// Small wheels are filled and emptied several times, so that the resolution of the clock does not matter.
constexpr std::size_t kLeastOperations = 200000;

std::size_t RoundsFor(std::size_t count) { return std::max<std::size_t>(1, kLeastOperations / count); }

template <class D>
void Settle(D& design, std::size_t i) {
  if (i % kOperationsPerTick == kOperationsPerTick - 1) design.Settle();
}

template <class D>
void PayUp(D& design) {
  design.Settle();
  const Tick next = design.NextExpiry();
  if (next != kNoExpiry) design.Advance(next, [](auto handle) { benchmark::DoNotOptimize(handle); });
}

// The memory is warm, and the records are taken in order: the best case for all designs.
template <class D>
void WarmUp(D& design, std::size_t count, Limit& limit) {
  std::vector<std::uint32_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(count - 1 - i);
  Age(design, order, limit);
}

template <class D>
void Insert(benchmark::State& state, Limit& limit, Delays delays, std::size_t count) {
  const std::vector<Tick> deadlines = MakeDeadlines(delays, count, kAged + 1);
  std::vector<typename D::Handle> handles(count);
  const std::size_t rounds = RoundsFor(count);
  double seconds = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    D design(count);
    WarmUp(design, count, limit);
    if (limit.Over()) return;
    const Stopwatch watch;
    for (std::size_t i = 0; i < count; ++i) {
      handles[i] = design.Schedule(deadlines[i]);
      Settle(design, i);
    }
    PayUp(design);
    seconds += watch.Seconds();
    benchmark::DoNotOptimize(handles.data());
    if (limit.Over()) return;
  }
  Report(state, seconds, static_cast<double>(count * rounds));
}

template <class D>
void Cancel(benchmark::State& state, Limit& limit, Delays delays, std::size_t count) {
  const std::vector<Tick> deadlines = MakeDeadlines(delays, count, kAged + 1);
  const std::size_t rounds = RoundsFor(count);
  double seconds = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    D design(count);
    const auto victims = Permuted(FillAged(design, deadlines, limit), round + 2);
    if (limit.Over()) return;
    const Stopwatch watch;
    for (std::size_t i = 0; i < count; ++i) {
      design.Cancel(victims[i]);
      Settle(design, i);
    }
    PayUp(design);
    seconds += watch.Seconds();
  }
  Report(state, seconds, static_cast<double>(count * rounds));
}

// Calls `replace(design, handle, deadline)` once for each pending timer, in random order. It returns the new handle.
template <class D, class F>
void ForAllAtRandom(benchmark::State& state, Limit& limit, Delays delays, std::size_t count, F&& replace) {
  const std::size_t rounds = RoundsFor(count);
  D design(count);
  auto handles = FillAged(design, MakeDeadlines(delays, count, kAged + 1), limit);
  if (limit.Over()) return;
  double seconds = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::vector<Tick> deadlines = MakeDeadlines(delays, count, kAged + kSpan, round + 3);
    handles = Permuted(handles, round + 4);
    const Stopwatch watch;
    for (std::size_t i = 0; i < count; ++i) {
      handles[i] = replace(design, handles[i], deadlines[i]);
      Settle(design, i);
    }
    if (round + 1 == rounds) PayUp(design);
    seconds += watch.Seconds();
    if (limit.Over()) return;
  }
  Report(state, seconds, static_cast<double>(count * rounds));
}

template <class D>
void InsertCancel(benchmark::State& state, Limit& limit, Delays delays, std::size_t count) {
  using Handle = typename D::Handle;
  ForAllAtRandom<D>(state, limit, delays, count, [](D& design, const Handle& handle, Tick deadline) {
    const Handle inserted = design.Schedule(deadline);
    design.Cancel(handle);
    return inserted;
  });
}

template <class D>
void Reschedule(benchmark::State& state, Limit& limit, Delays delays, std::size_t count) {
  using Handle = typename D::Handle;
  ForAllAtRandom<D>(state, limit, delays, count,
                    [](D& design, const Handle& handle, Tick deadline) { return design.Reschedule(handle, deadline); });
}

}  // namespace

void RegisterOperations() {
  using All = AllAndNothing<ForEach>;
  for (const Delays delays : {Delays::k30s, Delays::kUniform, Delays::kBimodal, Delays::kOneSlot}) {
    for (const std::size_t count : {1000, 10000, 100000, 1000000, 10000000}) {
      const auto row = [&](const char* part) { return NameOfRow(std::string(part) + "/" + NameOf(delays), count); };
      const auto with = [=](auto function) {
        return [=](benchmark::State& state, Limit& limit) { function(state, limit, delays, count); };
      };
      All::Register(row("insert"), [&]<class D>(D*) { return with(Insert<D>); });
      All::Register(row("cancel"), [&]<class D>(D*) { return with(Cancel<D>); });
      All::Register(row("insert-cancel"), [&]<class D>(D*) { return with(InsertCancel<D>); });
      All::Register(row("reschedule"), [&]<class D>(D*) { return with(Reschedule<D>); });
    }
  }
}

}  // namespace timeout_wheel::bench
