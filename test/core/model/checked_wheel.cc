#include "checked_wheel.h"

#include <cmath>

namespace timeout_wheel {

CheckedWheel::CheckedWheel(const Options& options, Listener& listener)
    : ticks_per_ms_(options.wheel.ticks_per_ms),
      harness_(options.wheel),
      listener_(listener),
      check_one_in_(options.check_one_in) {
  harness_.CheckOneIn(UINT32_MAX);  // Step() decides when to check.
  harness_.OnApply([this] { Applying(); });
  harness_.OnExpiry([this](Unit unit) { Expired(unit); });
}

double CheckedWheel::Earliest() const {
  return applied_.empty() ? TimerWheel::kNever : timers_.at(applied_.begin()->second).due;
}

// A check is O(records + entries). A small wheel is checked after every step, a larger one less often, at equal cost.
void CheckedWheel::Step() {
  ++operations_;
  if (harness_.control(kBusy) != 0 || steps_to_check_-- != 0) return;
  const std::uint64_t size = harness_.client().used() + harness_.entries();
  steps_to_check_ = (size / 256 + 1) * check_one_in_ - 1;
  harness_.Check();
  EXPECT_LE(harness_.entries(), 2 * harness_.blocks() * kRecordsPerBlock);
}

// ---- the operations -------------------------------------------------------------------------------------------------

void CheckedWheel::Enqueue(Unit unit, double time, bool is_due_time) {
  Timer& timer = timers_[unit];
  if (timer.applied) applied_.erase(timer.key);
  timer.applied = false;
  timer.operation = operations_;
  queue_.push_back({unit, operations_, time, is_due_time});
}

void CheckedWheel::Set(double delay) {
  if (harness_.client().full()) Grow(1);
  // The client applies a full queue at once, so the model must know of the operation before. It takes the same unit.
  const Unit unit = harness_.client().next();
  timers_[unit].index = pending_.size();
  pending_.push_back(unit);
  Enqueue(unit, delay, false);
  EXPECT_EQ(harness_.client().Set(delay), unit);
  Step();
}

void CheckedWheel::Move(Unit unit, double delay) {
  Enqueue(unit, delay, false);
  harness_.client().Move(unit, delay);
  Step();
}

void CheckedWheel::MoveTo(Unit unit, double due) {
  Enqueue(unit, due, true);
  harness_.client().MoveTo(unit, due);
  Step();
}

void CheckedWheel::Cancel(Unit unit) {
  Remove(unit);
  harness_.client().Cancel(unit);
  Step();
}

void CheckedWheel::Remove(Unit unit) {
  const Timer timer = timers_.at(unit);
  if (timer.applied) applied_.erase(timer.key);
  pending_[timer.index] = pending_.back();
  timers_.at(pending_.back()).index = timer.index;
  pending_.pop_back();
  timers_.erase(unit);
}

// The error of a rounded sum is exact (Knuth).
static double RoundedUpSum(double now, double delay) {
  const double sum = now + delay;
  const double added = sum - now;
  const double error = (now - (sum - added)) + (delay - added);
  return error > 0 ? std::nextafter(sum, TimerWheel::kNever) : sum;
}

// An operation counts from the reading of the clock that follows it.
void CheckedWheel::Applying() {
  for (const Queued& queued : std::exchange(queue_, {})) {
    const auto found = timers_.find(queued.unit);
    if (found == timers_.end() || found->second.operation != queued.operation) continue;
    Timer& timer = found->second;
    timer.due = queued.is_due_time ? queued.time : RoundedUpSum(now(), queued.time);
    // A timer that is overdue when it is set runs in the present tick at the latest, in no promised order.
    timer.key = {std::max(TickOf(timer.due), TickOf(now())), queued.operation};
    timer.is_ordered = timer.key.first == TickOf(timer.due);
    timer.applied = true;
    applied_.emplace(timer.key, queued.unit);
  }
}

void CheckedWheel::Apply() {
  harness_.Apply();
  Step();
}

double CheckedWheel::EndTurn() {
  const double wake = harness_.EndTurn();
  if (!applied_.empty()) {
    EXPECT_LE(TickOf(wake), applied_.begin()->first.first) << "the wheel wakes too late";
  }
  Step();
  return wake;
}

void CheckedWheel::Grow(std::uint32_t more) {
  if (harness_.blocks() + more > kMaxBlocks) return;
  if (harness_.control(kBusy) != 0) return;
  harness_.Grow(more);
  Step();
}

void CheckedWheel::Interrupt() {
  harness_.Interrupt();
  repaired_ = true;
  Step();
}

// ---- running --------------------------------------------------------------------------------------------------------

void CheckedWheel::Run(double lag) {
  if (lag != 0) harness_.Apply();
  target_ = harness_.unfinished() ? target_ : now() - lag;
  last_ = {};
  repaired_ = harness_.control(kBusy) != 0;
  for (;;) {
    harness_.Expire(lag);
    Step();
    if (!harness_.unfinished()) break;
    listener_.Paused();
  }
  // All ticks before the present one have run. What was set during the pass is left, if it is overdue.
  if (!applied_.empty() && !repaired_) {
    EXPECT_GE(applied_.begin()->first.first, TickOf(target_))
        << "a due timer is left, unit " << applied_.begin()->second;
  }
}

void CheckedWheel::Expired(Unit unit) {
  const auto found = timers_.find(unit);
  ASSERT_NE(found, timers_.end()) << "unit " << unit << " ran and is not pending";
  const Timer timer = found->second;
  ASSERT_TRUE(timer.applied) << "unit " << unit << " ran before its operation was applied";
  EXPECT_LE(timer.due, target_) << "early";
  EXPECT_EQ(timer.due, harness_.due(unit));
  if (!repaired_ && timer.is_ordered) {
    EXPECT_LT(last_, timer.key) << "out of order";
    last_ = timer.key;
  }
  Remove(unit);
  listener_.Expired();
}

}  // namespace timeout_wheel
