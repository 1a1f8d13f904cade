// Memory per timer: nodes, tables and queues, by the pages that were touched. Live: with N timers pending. Worst: the
// most memory while deadlines are shortened, all timers are cancelled, and all are scheduled again.
#include <vector>

#include "designs/all.h"
#include "parts.h"
#include "workload.h"

namespace timeout_wheel::bench {
namespace {

template <class D>
class Abuse {
 public:
  Abuse(Limit& limit, std::size_t count) : limit_(limit), count_(count), design_(count) {}

  double live() const { return live_ / static_cast<double>(count_); }
  double worst() const { return worst_ / static_cast<double>(count_); }

  bool Run() {
    handles_ = Fill(design_, MakeDeadlines(Delays::kUniform, count_, 3600000), limit_);
    if (limit_.Over()) return false;
    Measure();
    live_ = worst_;
    for (std::uint32_t round = 1; round <= 3; ++round) {
      if (!Shorten(round)) return false;
    }
    for (std::uint32_t round = 1; round <= 2; ++round) {
      if (!CancelAndSet(round)) return false;
    }
    return true;
  }

 private:
  void Measure() {
    Advance();
    worst_ = std::max(worst_, static_cast<double>(design_.Bytes()));
  }
  // The operations of a round are spread over a thousand ticks.
  bool Pause(std::size_t i) {
    if (i % (count_ / 1000) != 0) return true;
    Advance();
    return !limit_.Over();
  }
  void Advance() {
    design_.Advance(++now_, [](auto) {});
  }

  bool Shorten(std::uint32_t round) {
    const auto earlier = MakeDeadlines(Delays::kUniform, count_, 3600000 - round * 1000000, round);
    for (std::size_t i = 0; i < count_; ++i) {
      handles_[i] = design_.Reschedule(handles_[i], earlier[i]);
      if (!Pause(i)) return false;
    }
    Measure();
    return true;
  }
  bool CancelAndSet(std::uint32_t round) {
    const auto order = Shuffled(count_, round);
    for (std::size_t i = 0; i < count_; ++i) {
      design_.Cancel(handles_[order[i]]);
      if (!Pause(i)) return false;
    }
    Measure();
    const auto again = MakeDeadlines(Delays::kUniform, count_, now_ + round * 200000, round);
    for (std::size_t i = 0; i < count_; ++i) {
      handles_[i] = design_.Schedule(again[i]);
      if (!Pause(i)) return false;
    }
    Measure();
    return true;
  }

  Limit& limit_;
  std::size_t count_;
  D design_;
  std::vector<typename D::Handle> handles_;
  Tick now_ = 0;
  double live_ = 0;
  double worst_ = 0;
};

template <class D>
void Bytes(benchmark::State& state, Limit& limit, std::size_t count) {
  Abuse<D> abuse(limit, count);
  if (!abuse.Run()) return;
  state.SetIterationTime(1e-9);
  state.counters["bytes"] = abuse.live();
  state.counters["worst"] = abuse.worst();
}

}  // namespace

void RegisterBytes() {
  for (const std::size_t count : {1000, 10000, 100000, 1000000, 10000000}) {
    AllDesigns<ForEach>::Register(NameOfRow("bytes/uniform", count), [=]<class D>(D*) {
      return [=](benchmark::State& state, Limit& limit) { Bytes<D>(state, limit, count); };
    });
  }
}

}  // namespace timeout_wheel::bench
