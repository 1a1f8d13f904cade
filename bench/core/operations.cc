// Insert, cancel, insert and cancel, reschedule: the clock stands still, and nothing is due. What a design queues to
// the tick is taken every 1,000 operations, in the timed part.
#include <vector>

#include "designs/all.h"
#include "parts.h"
#include "workload.h"

namespace timeout_wheel::bench {
namespace {

constexpr std::size_t kOperationsPerTick = 1000;
// Small wheels are filled and emptied again and again, so that a clock's resolution does not matter.
constexpr std::size_t kLeastOperations = 200000;

std::size_t RoundsFor(std::size_t count) { return std::max<std::size_t>(1, kLeastOperations / count); }

template <class D>
void Settle(D& design, std::size_t i) {
  if (i % kOperationsPerTick == kOperationsPerTick - 1) design.Settle();
}

template <class D>
void Insert(benchmark::State& state, Limit& limit, Delays delays, std::size_t count) {
  const std::vector<Tick> deadlines = MakeDeadlines(delays, count, 1);
  std::vector<typename D::Handle> handles(count);
  const std::size_t rounds = RoundsFor(count);
  double seconds = 0;
  D design(count);
  for (std::size_t round = 0; round < rounds; ++round) {
    const Stopwatch watch;
    for (std::size_t i = 0; i < count; ++i) {
      handles[i] = design.Schedule(deadlines[i]);
      Settle(design, i);
    }
    design.Settle();
    seconds += watch.Seconds();
    if (limit.Over()) return;
    if (round + 1 == rounds) break;
    for (const auto& handle : handles) design.Cancel(handle);
    design.Settle();
  }
  Report(state, seconds, static_cast<double>(count * rounds));
}

template <class D>
void Cancel(benchmark::State& state, Limit& limit, Delays delays, std::size_t count) {
  const std::vector<Tick> deadlines = MakeDeadlines(delays, count, 1);
  const std::vector<std::uint32_t> order = Shuffled(count);
  const std::size_t rounds = RoundsFor(count);
  double seconds = 0;
  D design(count);
  for (std::size_t round = 0; round < rounds; ++round) {
    auto handles = Fill(design, deadlines, limit);
    if (limit.Over()) return;
    const Stopwatch watch;
    for (std::size_t i = 0; i < count; ++i) {
      design.Cancel(handles[order[i]]);
      Settle(design, i);
    }
    design.Settle();
    seconds += watch.Seconds();
  }
  Report(state, seconds, static_cast<double>(count * rounds));
}

// A new timer for a random one of those pending, in the place of which it comes.
template <class D>
void InsertCancel(benchmark::State& state, Limit& limit, Delays delays, std::size_t count) {
  const std::size_t rounds = RoundsFor(count);
  D design(count);
  auto handles = Fill(design, MakeDeadlines(delays, count, 1), limit);
  if (limit.Over()) return;
  double seconds = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::vector<Tick> deadlines = MakeDeadlines(delays, count, kSpan, round + 3);
    const std::vector<std::uint32_t> order = Shuffled(count, round + 4);
    const Stopwatch watch;
    for (std::size_t i = 0; i < count; ++i) {
      auto& handle = handles[order[i]];
      const auto inserted = design.Schedule(deadlines[i]);
      design.Cancel(handle);
      handle = inserted;
      Settle(design, i);
    }
    design.Settle();
    seconds += watch.Seconds();
    if (limit.Over()) return;
  }
  Report(state, seconds, static_cast<double>(count * rounds));
}

template <class D>
void Reschedule(benchmark::State& state, Limit& limit, Delays delays, std::size_t count) {
  const std::size_t rounds = RoundsFor(count);
  D design(count);
  auto handles = Fill(design, MakeDeadlines(delays, count, 1), limit);
  if (limit.Over()) return;
  double seconds = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::vector<Tick> deadlines = MakeDeadlines(delays, count, kSpan, round + 3);
    const std::vector<std::uint32_t> order = Shuffled(count, round + 4);
    const Stopwatch watch;
    for (std::size_t i = 0; i < count; ++i) {
      auto& handle = handles[order[i]];
      handle = design.Reschedule(handle, deadlines[i]);
      Settle(design, i);
    }
    design.Settle();
    seconds += watch.Seconds();
    if (limit.Over()) return;
  }
  Report(state, seconds, static_cast<double>(count * rounds));
}

}  // namespace

void RegisterOperations() {
  using All = AllDesigns<ForEach>;
  for (const Delays delays : {Delays::k30s, Delays::kUniform, Delays::kBimodal, Delays::kOneSlot}) {
    for (const std::size_t count : {1000, 10000, 100000, 1000000, 10000000}) {
      const std::string end = std::string("/") + NameOf(delays) + "/" + std::to_string(count);
      const auto with = [=](auto function) {
        return [=](benchmark::State& state, Limit& limit) { function(state, limit, delays, count); };
      };
      All::Register("insert" + end, [&]<class D>(D*) { return with(Insert<D>); });
      All::Register("cancel" + end, [&]<class D>(D*) { return with(Cancel<D>); });
      All::Register("insert-cancel" + end, [&]<class D>(D*) { return with(InsertCancel<D>); });
      All::Register("reschedule" + end, [&]<class D>(D*) { return with(Reschedule<D>); });
    }
  }
}

}  // namespace timeout_wheel::bench
