#include "program.h"

#include <algorithm>

namespace timeout_wheel {
namespace {

// Powers of two: spans and rings of the levels, and the ends of the scales of ticks, of signed differences and of whole
// doubles.
constexpr std::uint32_t kStartBits[] = {8, 9, 16, 17, 18, 24, 25, 27, 31, 32, 36, 42, 53};
constexpr std::uint32_t kMostPending[] = {12, 100, 1000};
// Three times the capacity of the expirations, and with a cascade more than one Advance visits.
constexpr std::size_t kMostOfBursts = 12500;
constexpr std::uint32_t kKindsOfDelay[] = {4, 7, 12};
constexpr std::uint32_t kMostKinds = 12;

constexpr WideTick kHour = 3'600'000;
constexpr WideTick kCentury = 3'155'760'000'000;
// The wheel's tick lags by a run, and deadlines set by callbacks must lie within 2^31 of that tick.
constexpr WideTick kLongestRun = 0x7f000000;
// A repair moves the tick back by at most a run.
constexpr WideTick kLongestInterruptedRun = kMaxAdvance;

bool Failed() { return testing::Test::HasFailure(); }

}  // namespace

// A start some ticks before one of these powers, at any eighth.
Eighths Program::StartOf(Choices& choices) {
  const std::uint32_t bits = kStartBits[choices.Below(std::size(kStartBits))];
  const std::uint32_t before = choices.OneIn(2) ? 2000 : 64;
  return (Eighths{1} << bits) * kTickEighths - 1 - choices.Below(before);
}

Program::Program(Choices& choices, const ProgramOptions& options)
    : choices_(choices),
      wheel_(StartOf(choices), *this, options.sampling, options.interrupted),
      kinds_of_delay_(kKindsOfDelay[choices.Below(3)]),
      most_pending_(kMostPending[choices.Below(3)]),
      bursts_(choices.OneIn(3)),
      fractions_(choices.OneIn(2)),
      interrupted_(options.interrupted),
      longest_run_(interrupted_ ? kLongestInterruptedRun : kLongestRun) {}

void Program::Run(std::uint64_t operations) {
  while (wheel_.operations() < operations && !choices_.ended() && !Failed()) Step();
}

// ---- delays ---------------------------------------------------------------------------------------------------------

// Ticks to the next tick at which a level, or the scale, begins again.
WideTick Program::TicksToEdge() {
  constexpr std::uint32_t kShifts[] = {32, 8, 9, 16, 17, 24, 31};
  const std::uint32_t known = kinds_of_delay_ == kMostKinds ? std::size(kShifts) : kinds_of_delay_ == 7 ? 6 : 3;
  const std::uint32_t shift = kShifts[Below(known)];
  const WideTick now = TickOf(wheel_.clock().now());
  return (((now >> shift) + 1) << shift) - now;
}

// Short delays come first, because a program may use only those.
WideTick Program::DelayTicks() {
  switch (Below(kinds_of_delay_)) {
    case 0: return Below(4);
    case 1: return Below(300);
    case 2: return TicksToEdge() - 4 + Below(6);
    case 3: return 250 + Below(12);
    case 4: return Below(70000);
    case 5: return 30000;
    case 6: return -WideTick{Below(300)};
    case 7: return 65530 + Below(12);
    case 8: return Below(1 << 25);
    case 9: return (1 << 24) - 3 + Below(6);
    case 10: return wheel_.LongestDelay() - Below(4);
    default: return Below(0x7fffffff);
  }
}

Eighths Program::Delay() {
  const WideTick ticks = std::min(DelayTicks(), wheel_.LongestDelay());
  const bool fine = fractions_ && wheel_.clock().IsFine();
  return ticks * kTickEighths - (fine ? Below(8) : 0);
}

// Just before, at, or after the timer's present deadline.
Eighths Program::DelayBeside(Unit unit) {
  const WideTick left = wheel_.list().tick(unit) - TickFrom(wheel_.clock().now());
  const WideTick other = OneIn(2) ? left - 2 + Below(5) : left - (left >> (1 + Below(8)));
  return std::min(other, wheel_.LongestDelay()) * kTickEighths;
}

// ---- operations -----------------------------------------------------------------------------------------------------

void Program::Step() {
  if (interrupted_ && OneIn(12)) wheel_.Interrupt();
  if (bursts_ && OneIn(100)) return Burst();
  const std::uint32_t kind = Below(100);
  if (kind < 34) return wheel_.list().size() < most_pending_ ? Schedule(Delay()) : RunFor(TicksToDue());
  if (kind < 46) return Cancel();
  if (kind < 68) return Reschedule();
  if (kind < 72) return wheel_.TakeSubmissions();
  if (kind < 80) return TouchEpoch();
  if (kind < 81) return wheel_.Grow(0);
  RunFor(TicksToRun());
}

void Program::Schedule(Eighths delay) {
  if (!wheel_.full()) wheel_.Set(CheckedWheel::kNew, delay, Adjusted());
}

// Sometimes schedules again at once, which takes the same record.
void Program::Cancel() {
  if (wheel_.list().empty()) return;
  wheel_.Cancel(AnyOrNextUnit());
  if (OneIn(2)) Schedule(Delay());
}

void Program::Reschedule() {
  if (wheel_.list().empty()) return;
  const Unit unit = AnyOrNextUnit();
  wheel_.Set(unit, OneIn(3) ? DelayBeside(unit) : Delay(), Adjusted());
}

void Program::TouchEpoch() {
  wheel_.Pass(1 + Below(OneIn(8) ? 80000 : 20));
  if (OneIn(4)) wheel_.OpenEpoch();
  if (OneIn(4)) wheel_.CloseEpoch();
}

void Program::Burst() {
  if (!OneIn(3)) ScheduleMany(2000 + Below(8000));
  switch (Below(6)) {
    case 0: return ShortenAll();
    case 1: CancelHalf(); break;
    case 2: break;
    default: RescheduleAll();
  }
  if (OneIn(2)) RunFor(TicksToDue());
}

// Mostly for one tick, which makes a batch that does not fit into the expirations.
void Program::ScheduleMany(std::size_t count) {
  const std::size_t pending = wheel_.list().size();
  const std::size_t end = std::min(pending + count, kMostOfBursts);
  const bool same = !OneIn(4);
  const Eighths delay = Delay();
  for (std::size_t i = pending; i < end; ++i) Schedule(same ? delay : Delay());
}

void Program::CancelHalf() {
  const std::size_t count = wheel_.list().size() / 2;
  for (std::size_t i = 0; i < count; ++i) Cancel();
}

// In another order than they were scheduled, and mostly to later deadlines: inherited entries are out of order.
void Program::RescheduleAll() {
  const std::size_t count = wheel_.list().size();
  const bool same = OneIn(2);
  const Eighths delay = Delay();
  for (std::size_t i = count; i > 0; --i) {
    wheel_.Set(wheel_.list().unit(i - 1), same ? delay : Delay(), Adjusted());
  }
}

// Each shortening leaves a stale entry behind, until a sweep: the smallest wheel holds 10,240 entries.
void Program::ShortenAll() {
  const WideTick farthest = wheel_.LongestDelay() >> Below(8);
  while (wheel_.list().size() < 60) Schedule((farthest - Below(1 << 20)) * kTickEighths);
  const std::size_t rounds = 1 + 12000 / wheel_.list().size();
  for (std::size_t round = 0; round < rounds; ++round) {
    if (OneIn(30)) Cancel();
    const WideTick now = TickFrom(wheel_.clock().now());
    for (std::size_t i = 0; i < wheel_.list().size(); ++i) {
      const Unit unit = wheel_.list().unit(i);
      const WideTick left = wheel_.list().tick(unit) - now;
      wheel_.Set(unit, (left - left / 16) * kTickEighths, Adjusted());
    }
    wheel_.TakeSubmissions();
  }
}

// ---- running --------------------------------------------------------------------------------------------------------

WideTick Program::TicksToDue() {
  if (wheel_.list().empty()) return 1;
  return std::clamp<WideTick>(wheel_.list().next_tick() - TickOf(wheel_.clock().now()), 0, longest_run_);
}

WideTick Program::TicksToRun() {
  const bool far = kinds_of_delay_ == kMostKinds;
  switch (Below(10)) {
    case 0: return 0;
    case 1: return 1;
    case 2: return Below(3);
    case 3: return Below(600);
    case 4: return std::min(TicksToEdge() - 1 + Below(3), longest_run_);
    case 5: return TicksToDue();
    case 6: return std::max<WideTick>(TicksToDue() - 1 + Below(3), 0);
    case 7: return far ? Below(24) * kHour : Below(140000);
    case 8: return far && OneIn(4) ? Below(longest_run_) : Below(256);
    default: return far && OneIn(500) ? kCentury : Below(256);
  }
}

void Program::RunFor(WideTick ticks) {
  if (ticks == kCentury) return RunForCenturies();
  // The wheel's tick may lag already.
  const WideTick lag = std::max<WideTick>(TickOf(wheel_.clock().now()) - wheel_.tick(), 0);
  wheel_.Pass(std::clamp<WideTick>(ticks, 0, longest_run_ - lag) * kTickEighths);
  if (fractions_ && wheel_.clock().IsFine()) wheel_.Pass(Below(8));
  wheel_.Run();
}

void Program::RunForCenturies() {
  const WideTick end = TickOf(wheel_.clock().now()) + kCentury;
  while (TickOf(wheel_.clock().now()) < end && !Failed()) RunFor(longest_run_ - Below(1 << 20));
}

// A timer runs. Most timers do nothing. The others do what a program does between runs, also to timers of the same
// batch.
void Program::Expired() {
  if (finishing_ || Failed() || !OneIn(5)) return;
  for (std::uint32_t left = 1 + Below(3); left > 0; --left) {
    switch (Below(8)) {
      case 0: Schedule(Delay()); break;
      case 1: Cancel(); break;
      case 2: Reschedule(); break;
      case 3: wheel_.TakeSubmissions(); break;
      case 4: TouchEpoch(); break;
      case 5: OneIn(4) ? wheel_.Grow(0) : Schedule(Delay()); break;
      default: Reschedule(); break;
    }
  }
}

// Also schedules overdue timers, which join the batch that is being gathered or handed over.
void Program::Paused() {
  if (OneIn(2) && !wheel_.full()) wheel_.SetOverdue(CheckedWheel::kNew, Below(3));
  if (OneIn(2) && !wheel_.list().empty()) wheel_.SetOverdue(AnyUnit(), Below(3));
  Expired();
}

std::uint32_t Program::Dispatched(std::uint32_t count) {
  return interrupted_ && !finishing_ && OneIn(3) ? Below(count + 1) : count;
}

void Program::Finish() {
  finishing_ = true;
  for (int wake_ups = 0; !wheel_.list().empty() && !Failed(); ++wake_ups) {
    ASSERT_LT(wake_ups, 1000000) << "woken for nothing";
    RunFor(wheel_.Wake() - TickOf(wheel_.clock().now()));
  }
}

}  // namespace timeout_wheel
