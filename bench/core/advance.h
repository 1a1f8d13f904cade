// Advance, call by call, with the longest one noted: how long an event loop would stand still.
#pragma once

#include <algorithm>

#include "design.h"
#include "workload.h"

namespace timeout_wheel::bench {

class Longest {
 public:
  /// Advances to `now`. A design that works in bounded parts is given one after the other, each a call of its own,
  /// since its host does other things between them.
  template <class D, class F>
  void Advance(D& design, Tick now, F&& expired) {
    if constexpr (requires { design.AdvancePart(now, expired); }) {
      while (!Timed([&] { return design.AdvancePart(now, expired); })) {
      }
    } else {
      Timed([&] {
        design.Advance(now, expired);
        return true;
      });
    }
  }

  double seconds() const { return seconds_; }

 private:
  template <class F>
  bool Timed(F&& call) {
    const Stopwatch watch;
    const bool finished = call();
    seconds_ = std::max(seconds_, watch.Seconds());
    return finished;
  }

  double seconds_ = 0;
};

}  // namespace timeout_wheel::bench
