// Insert, cancel, insert and cancel, reschedule: the clock stands still, and nothing is due. Operations that a design
// queues for the tick are taken every 1,000 operations, in the timed part.
#include <numeric>
#include <vector>

#include "designs/all.h"
#include "workload.h"

namespace timeout_wheel::bench {
namespace {

constexpr std::size_t kOperationsPerTick = 1000;
constexpr std::size_t kLeastOperations = 200000;

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
void Insert(Cell& cell) {
  std::vector<std::uint32_t> order(cell.count);
  std::iota(order.rbegin(), order.rend(), 0U);
  const std::vector<Tick> deadlines = MakeDeadlines(cell.delays, cell.count, kAged + 1);
  const auto prepare = [&](D& design, std::size_t) {
    Age(design, order, cell);
    return std::vector<typename D::Handle>(cell.count);
  };
  MeasureRounds<D>(cell, kLeastOperations, prepare, [&](D& design, auto& handles) {
    for (std::size_t i = 0; i < cell.count; ++i) {
      handles[i] = design.Schedule(deadlines[i]);
      Settle(design, i);
    }
    PayUp(design);
    benchmark::DoNotOptimize(handles.data());
  });
}

template <class D>
void Cancel(Cell& cell) {
  const std::vector<Tick> deadlines = MakeDeadlines(cell.delays, cell.count, kAged + 1);
  const auto prepare = [&](D& design, std::size_t round) {
    return Permuted(FillAged(design, deadlines, cell), round + 2);
  };
  MeasureRounds<D>(cell, kLeastOperations, prepare, [&](D& design, const auto& victims) {
    for (std::size_t i = 0; i < cell.count; ++i) {
      design.Cancel(victims[i]);
      Settle(design, i);
    }
    PayUp(design);
  });
}

// Calls `replace(design, handle, deadline)` once for each pending timer, in random order. It returns the new handle.
template <class D, class F>
void ForAllAtRandom(Cell& cell, F&& replace) {
  const std::size_t rounds = std::max<std::size_t>(1, kLeastOperations / cell.count);
  D design(cell.count);
  auto handles = FillAged(design, MakeDeadlines(cell.delays, cell.count, kAged + 1), cell);
  if (cell.Over()) return;
  double seconds = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::vector<Tick> deadlines = MakeDeadlines(cell.delays, cell.count, kAged + kSpan, round + 3);
    handles = Permuted(handles, round + 4);
    const Stopwatch watch;
    for (std::size_t i = 0; i < cell.count; ++i) {
      handles[i] = replace(design, handles[i], deadlines[i]);
      Settle(design, i);
    }
    if (round + 1 == rounds) PayUp(design);
    seconds += watch.Seconds();
    if (cell.Over()) return;
  }
  cell.Report(seconds, static_cast<double>(cell.count * rounds));
}

}  // namespace

void RegisterOperations() {
  using All = AllDesigns<ForEach, Nothing>;
  All::Rows("insert", kKinds, kCounts, []<class D>(Cell& cell) { Insert<D>(cell); });
  All::Rows("cancel", kKinds, kCounts, []<class D>(Cell& cell) { Cancel<D>(cell); });
  All::Rows("insert-cancel", kKinds, kCounts, []<class D>(Cell& cell) {
    ForAllAtRandom<D>(cell, [](D& design, const auto& handle, Tick deadline) {
      const auto inserted = design.Schedule(deadline);
      design.Cancel(handle);
      return inserted;
    });
  });
  All::Rows("reschedule", kKinds, kCounts, []<class D>(Cell& cell) {
    ForAllAtRandom<D>(cell,
                      [](D& design, const auto& handle, Tick deadline) { return design.Reschedule(handle, deadline); });
  });
}

}  // namespace timeout_wheel::bench
