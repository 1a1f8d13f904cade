// How long the queue of operations may become before it is applied. A delay counts from the reading of the clock for
// Apply, so a short queue is exact and a long one is cheap.
//
// Each of the first eight operations of a turn is applied at once. Then the queue is applied at 4, 8 ... 64. If
// operations have taken long, because the program works between them, the next eight are applied at once again.
#pragma once

#include <algorithm>
#include <cstdint>

namespace timeout_wheel {

class QueuePace {
 public:
  /// The queue is applied when it has this many operations.
  std::uint32_t limit() const { return limit_; }

  /// A turn of the event loop has ended.
  void BeginTurn() {
    at_once_ = kAtOnce;
    limit_ = 1;
  }

  /// `count` operations were applied at `now`.
  void Applied(std::uint32_t count, double now) {
    if (at_once_ > 0) {
      if (at_once_ == kAtOnce) since_ = now;
      at_once_ -= std::min(at_once_, count);
      if (at_once_ > 0) return;
      limit_ = kFirstLimit;
    } else {
      limit_ = std::min(limit_ * 2, kLastLimit);
    }
    if (now - since_ >= kLong) BeginTurn();
    since_ = now;
  }

 private:
  static constexpr std::uint32_t kAtOnce = 8;
  static constexpr std::uint32_t kFirstLimit = 4;
  static constexpr std::uint32_t kLastLimit = 64;
  static constexpr double kLong = 0.5;

  std::uint32_t at_once_ = kAtOnce;
  std::uint32_t limit_ = 1;
  /// The time of the first operation of those that are applied at once; after these, the time of the last Apply.
  double since_ = 0;
};

}  // namespace timeout_wheel
