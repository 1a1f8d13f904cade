// Memory per timer: nodes, tables and queues, by the pages that were touched. Live: with N timers pending. Worst: the
// most memory while deadlines are shortened, all timers are cancelled, and all are scheduled again.
#include <vector>

#include "designs/all.h"
#include "workload.h"

namespace timeout_wheel::bench {
namespace {

template <class D>
class Abuse {
 public:
  explicit Abuse(Cell& cell) : cell_(cell), design_(cell.count) {}

  void Run() {
    const auto deadlines = [this](Tick from, std::uint32_t round) {
      return MakeDeadlines(Delays::kUniform, cell_.count, from, round);
    };
    handles_ = Fill(design_, deadlines(kHour, 1), cell_);
    Measure();
    const double live = worst_;
    for (std::uint32_t round = 1; round <= 3; ++round) {
      const auto earlier = deadlines(kHour - round * 1000000, round);
      ForAll([&](std::size_t i) { handles_[i] = design_.Reschedule(handles_[i], earlier[i]); });
    }
    for (std::uint32_t round = 1; round <= 2; ++round) {
      const auto order = Shuffled(cell_.count, round);
      ForAll([&](std::size_t i) { design_.Cancel(handles_[order[i]]); });
      const auto again = deadlines(now_ + round * 200000, round);
      ForAll([&](std::size_t i) { handles_[i] = design_.Schedule(again[i]); });
    }
    if (cell_.Over()) return;
    cell_.Count("bytes", live / static_cast<double>(cell_.count));
    cell_.Count("worst", worst_ / static_cast<double>(cell_.count));
  }

 private:
  void Advance() {
    design_.Advance(++now_, [](auto) {});
  }
  void Measure() {
    Advance();
    worst_ = std::max(worst_, static_cast<double>(design_.Bytes()));
  }
  // The operations of a round are spread over a thousand ticks.
  template <class F>
  void ForAll(F&& operation) {
    for (std::size_t i = 0; i < cell_.count; ++i) {
      if (i % (cell_.count / 1000) == 0) {
        if (cell_.Over()) return;
        Advance();
      }
      operation(i);
    }
    Measure();
  }

  Cell& cell_;
  D design_;
  std::vector<typename D::Handle> handles_;
  Tick now_ = 0;
  double worst_ = 0;
};

}  // namespace

void RegisterBytes() {
  AllDesigns<ForEach>::Rows("bytes", {Delays::kUniform}, kCounts, []<class D>(Cell& cell) { Abuse<D>(cell).Run(); });
}

}  // namespace timeout_wheel::bench
