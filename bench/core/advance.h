// Advances call by call and keeps the longest call: the time for which an event loop would be blocked.
#pragma once

#include <algorithm>

#include "design.h"
#include "workload.h"

namespace timeout_wheel::bench {

class Longest {
 public:
  /// Advances to `now`. If a design works in bounded parts, each part is a separate call, because a host does other
  /// work between the parts.
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
