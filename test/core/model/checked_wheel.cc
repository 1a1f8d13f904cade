#include "checked_wheel.h"

#include <utility>

namespace timeout_wheel {

CheckedWheel::CheckedWheel(Eighths start, Listener& listener, const Sampling& sampling, bool interrupted)
    : clock_(start), listener_(listener), sampling_(sampling), interruptible_(interrupted) {
  harness_.CheckOneIn(UINT32_MAX);  // Step() decides when to check.
  harness_.OnExpiry([this](Unit unit) { Expired(unit); });
  Start(TickOf(clock_.now()));
}

// Does as JavaScript: a wheel begins at tick 0, and an empty wheel reaches any tick in two steps.
void CheckedWheel::Start(WideTick tick) {
  const auto last = static_cast<Tick>(tick - 1);
  for (const Tick target : {last / 2, last}) {
    harness_.Expire(target);
  }
  tick_ = tick;
  EXPECT_EQ(harness_.tick(), static_cast<Tick>(tick));
}

// A check is O(records + entries). A small wheel is checked after every step, a larger one less often, at equal cost.
void CheckedWheel::Step() {
  ++operations_;
  if (interrupted_ || steps_to_check_-- != 0) return;
  const std::uint64_t size = harness_.submitter().used() + harness_.entries();
  const std::uint64_t every = size < kSmall ? 1 : (size / kSmall + 1) * sampling_.large_one_in;
  steps_to_check_ = every * sampling_.one_in - 1;
  harness_.Check();
  EXPECT_LE(harness_.entries(), 2 * harness_.blocks() * kRecordsPerBlock);
}

// ---- the clock ------------------------------------------------------------------------------------------------------

void CheckedWheel::Pass(Eighths time) {
  if (open_ && clock_.now() + time - opened_ > kLongestEpoch * kTickEighths) CloseEpoch();
  clock_.Pass(time);
}

void CheckedWheel::OpenEpoch() {
  CloseNotes();
  harness_.wheel().OpenEpoch(clock_.ticks());
  opened_ = clock_.now();
  open_ = true;
  Step();
}

void CheckedWheel::CloseEpoch() {
  CloseNotes();
  harness_.wheel().CloseEpoch(clock_.ticks());
  Step();
}

// A timer set at time t within the epoch got a deadline as if t were the reading of the clock. In fact t may be as late
// as now. So the timer is due when its delay has passed from now, and not earlier.
void CheckedWheel::CloseNotes() {
  for (Note& note : notes_) {
    const Note closed = std::exchange(note, {});
    if (!open_ || closed.unit == 0 || !list_.IsFrom(closed.unit, closed.operation)) continue;
    const WideTick given = TickFrom(opened_ + closed.delay);
    const WideTick later = TickFrom(clock_.now() + closed.delay) - given;
    if (later == 0) continue;
    const WideTick deadline = ValidWideTick(ValidWideTick(given) + later);
    if (deadline > list_.tick(closed.unit)) list_.Move(closed.unit, deadline);
  }
  open_ = false;
}

// ---- the operations -------------------------------------------------------------------------------------------------

// As lib/node/scheduler/unusual-delays.ts computes it.
Tick CheckedWheel::DeadlineOf(Eighths delay) const {
  const auto ticks = static_cast<double>(delay) / kTickEighths;
  if (delay % kTickEighths == 0) return harness_.control(kNowCeil) + static_cast<Tick>(delay / kTickEighths);
  return static_cast<Tick>(static_cast<std::int64_t>(std::ceil(harness_.memory().real(kNow) + ticks)));
}

void CheckedWheel::WriteNote(Unit unit, std::uint32_t place, Eighths delay, bool adjusted) const {
  const Memory memory = harness_.memory();
  // Also of a negative delay, the part by which it exceeds a whole number of ticks.
  const Eighths fraction = delay & (kTickEighths - 1);
  if (fraction != 0 || !adjusted) memory.word(kInexact) = 1;
  if (!adjusted) return;
  memory.word(kTouched + place) = fraction == 0 ? unit : ~unit;
  if (fraction == 0) return;
  const double ticks = static_cast<double>(fraction) / kTickEighths;
  const double due = memory.real(kNow) + ticks;
  memory.set_real(kFraction + 2 * place, ticks);
  memory.set_real(kLeastSlack, std::min(memory.real(kLeastSlack), std::ceil(due) - due));
}

void CheckedWheel::Put(Unit unit, Eighths delay, std::uint32_t place, bool adjusted) {
  // An overdue timer runs with the timers due at the wheel's tick.
  const WideTick due = ValidWideTick(std::max(ValidWideTick(TickFrom(opened_ + delay)), tick_));
  const std::uint64_t operation = list_.Put(unit, due);
  if (adjusted) {
    due_[unit] = clock_.now() + delay;
  } else if (due > tick_) {
    due_[unit] = due * kTickEighths;
  } else {
    due_.erase(unit);
  }
  if (adjusted) notes_[place] = {unit, operation, delay};
}

void CheckedWheel::ReadClock() {
  if (!open_ || harness_.control(kOrder) == harness_.control(kEpochEnd)) OpenEpoch();
}

void CheckedWheel::Set(Unit unit, Eighths delay, bool adjusted) {
  // A timer set by a callback is due after the run. JavaScript ensures the same.
  SetIn(running_ ? std::max(delay, kTickEighths) : delay, unit, adjusted);
}

void CheckedWheel::SetOverdue(Unit unit, WideTick by) {
  overdue_ = true;
  ReadClock();
  SetIn((tick_ - by - TickFrom(opened_)) * kTickEighths, unit, false);
}

void CheckedWheel::SetIn(Eighths delay, Unit unit, bool adjusted) {
  const bool is_new = unit == kNew;
  if (is_new && harness_.submitter().full()) Grow(1);
  ReadClock();
  if (interruptible_) delay = std::max(delay, (tick_ - TickFrom(opened_)) * kTickEighths);
  const std::uint32_t place = harness_.control(kOrder) - (harness_.control(kEpochEnd) - kEpochLength);
  const Tick deadline = DeadlineOf(delay);
  if (is_new) {
    unit = harness_.submitter().Schedule(deadline);
    ASSERT_NE(unit, Submitter::kFull);
    ASSERT_FALSE(list_.contains(unit)) << "a record in use was handed out";
  } else {
    harness_.submitter().Reschedule(unit, deadline);
  }
  WriteNote(unit, place, delay, adjusted);
  Put(unit, delay, place, adjusted);
  Step();
}

void CheckedWheel::Cancel(Unit unit) {
  list_.Remove(unit);
  harness_.submitter().Cancel(unit);
  Step();
}

// After an interruption, timers that were expired and not dispatched are due at their own ticks again.
void CheckedWheel::NoteRepair() {
  interrupted_ = false;
  tick_ += static_cast<std::int32_t>(harness_.tick() - static_cast<Tick>(tick_));
}

void CheckedWheel::TakeSubmissions() {
  harness_.Take();
  NoteRepair();
  Step();
}

bool CheckedWheel::IsTickDue() {
  OpenEpoch();
  const bool is_due = harness_.wheel().IsTickDue();
  NoteRepair();
  Step();
  return is_due;
}

void CheckedWheel::Interrupt() {
  harness_.Interrupt();
  interrupted_ = true;
  handed_over_.clear();
}

void CheckedWheel::Grow(std::uint32_t more) {
  if (interrupted_) TakeSubmissions();
  harness_.Grow(more);
  Step();
}

// ---- running --------------------------------------------------------------------------------------------------------

void CheckedWheel::Run() {
  target_ = TickOf(clock_.now());
  if (IsTickDue()) ++target_;
  running_ = true;
  overdue_ = false;
  handed_over_.clear();
  for (;;) {
    const auto target = static_cast<Tick>(target_);
    const std::uint32_t count = harness_.Expire(target);
    NoteRepair();
    CheckExpirations(count);
    Step();
    const std::uint32_t dispatched = listener_.Dispatched(count);
    harness_.Dispatch(target, dispatched);
    if (dispatched < count) Interrupt();
    if (!(interrupted_ || harness_.unfinished()) || testing::Test::HasFailure()) break;
    listener_.Paused();
  }
  running_ = false;
  EXPECT_FALSE(list_.DueBy(target_)) << "unit " << list_.first() << " was due and did not run";
  EXPECT_LT(target_, tick_);
}

// A record may have two valid entries; the first one reached ends both. A timer comes twice only if another operation
// makes it overdue while it is in the batch.
void CheckedWheel::CheckExpirations(std::uint32_t count) {
  for (std::uint32_t i = 0; i < count && !overdue_; ++i) {
    const Unit unit = harness_.memory().expiration(i);
    if (!list_.contains(unit) || list_.tick(unit) > target_) continue;
    EXPECT_TRUE(handed_over_.insert(unit).second) << "unit " << unit << " was handed over twice";
  }
}

void CheckedWheel::Expired(Unit unit) {
  ASSERT_TRUE(list_.DueBy(target_)) << "unit " << unit << " ran early, or for no timer";
  ASSERT_EQ(unit, list_.first()) << "out of order";
  if (const auto due = due_.find(unit); due != due_.end()) {
    ASSERT_LE(due->second, clock_.now()) << "unit " << unit << " ran before its delay had passed";
  }
  list_.Remove(unit);
  listener_.Expired();
}

WideTick CheckedWheel::Wake() {
  TakeSubmissions();
  EXPECT_TRUE(harness_.armed());
  return tick_ + static_cast<std::int32_t>(harness_.wake() - harness_.tick());
}

}  // namespace timeout_wheel
