// Memory per timer: nodes, tables and queues, by the pages that were touched. Live: with N timers pending. Worst: the
// most memory while deadlines are shortened, all timers are cancelled, and all are scheduled again.
#include <vector>

#include "designs/all.h"
#include "workload.h"

namespace timeout_wheel::bench {
namespace {

template <class D>
void Bytes(Cell& cell) {
  D design(cell.count);
  Tick now = 0;
  double worst = 0;
  const auto advance = [&] { design.Advance(++now, [](auto) {}); };
  const auto measure = [&] {
    advance();
    worst = std::max(worst, static_cast<double>(design.Bytes()));
  };
  // The operations of a round are spread over a thousand ticks.
  const auto for_all = [&](auto&& operation) {
    for (std::size_t i = 0; i < cell.count; ++i) {
      if (i % (cell.count / 1000) == 0) {
        cell.CheckLimit();
        advance();
      }
      operation(i);
    }
    measure();
  };
  const auto deadlines = [&](Tick from, std::uint32_t round) {
    return MakeDeadlines(Delays::kUniform, cell.count, from, round);
  };

  auto handles = Fill(design, deadlines(kHour, 1), cell);
  measure();
  const double live = worst;
  for (std::uint32_t round = 1; round <= 3; ++round) {
    const auto earlier = deadlines(kHour - round * 1000000, round);
    for_all([&](std::size_t i) { handles[i] = design.Reschedule(handles[i], earlier[i]); });
  }
  for (std::uint32_t round = 1; round <= 2; ++round) {
    const auto order = Shuffled(cell.count, round);
    for_all([&](std::size_t i) { design.Cancel(handles[order[i]]); });
    const auto again = deadlines(now + round * 200000, round);
    for_all([&](std::size_t i) { handles[i] = design.Schedule(again[i]); });
  }
  cell.Report(1e-9, 1);
  cell.Count("bytes", live / static_cast<double>(cell.count));
  cell.Count("worst", worst / static_cast<double>(cell.count));
}

}  // namespace

void RegisterBytes() {
  AllDesigns<ForEach>::Rows("bytes", {Delays::kUniform}, {1000, 10000, 100000, 1000000, 10000000},
                            []<class D>(Cell& cell) { Bytes<D>(cell); });
}

}  // namespace timeout_wheel::bench
