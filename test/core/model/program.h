// A random program for a wheel. Its decisions come from Choices while it runs.
#pragma once

#include <cstdint>

#include "checked_wheel.h"
#include "choices.h"

namespace timeout_wheel {

struct ProgramOptions {
  CheckedWheel::Sampling sampling;
  bool interrupted = false;  // the wheel is interrupted now and then
};

class Program final : private CheckedWheel::Listener {
 public:
  explicit Program(Choices& choices, const ProgramOptions& options = {});

  /// Runs until the number of operations is reached, the decisions end, or the wheel and the list disagree.
  void Run(std::uint64_t operations);
  /// Runs all pending timers, using only wake-ups, as a driver does.
  void Finish();

  std::uint64_t operations() const { return wheel_.operations(); }

 private:
  std::uint32_t Below(std::uint32_t bound) { return choices_.Below(bound); }
  bool OneIn(std::uint32_t n) { return choices_.OneIn(n); }
  static Eighths StartOf(Choices& choices);

  void Expired() override;
  void Paused() override;
  std::uint32_t Dispatched(std::uint32_t count) override;

  WideTick TicksToEdge();
  WideTick DelayTicks();
  Eighths Delay();
  Eighths DelayBeside(Unit unit);
  bool Adjusted() { return !OneIn(16); }
  Unit AnyUnit() { return wheel_.list().unit(Below(static_cast<std::uint32_t>(wheel_.list().size()))); }
  Unit AnyOrNextUnit() { return OneIn(3) ? wheel_.list().first() : AnyUnit(); }

  void Step();
  void Burst();
  void ScheduleMany(std::size_t count);
  void CancelHalf();
  void RescheduleAll();
  void ShortenAll();
  void Schedule(Eighths delay);
  void Cancel();
  void Reschedule();
  void TouchEpoch();

  WideTick TicksToRun();
  WideTick TicksToDue();
  void RunFor(WideTick ticks);
  void RunForCenturies();

  Choices& choices_;
  CheckedWheel wheel_;
  std::uint32_t kinds_of_delay_;
  std::uint32_t most_pending_;
  bool bursts_;
  bool fractions_;
  const bool interrupted_;
  const WideTick longest_run_;
  bool finishing_ = false;
};

}  // namespace timeout_wheel
