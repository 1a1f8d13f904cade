// A random program for a wheel. Its decisions come from Choices while it runs.
#pragma once

#include <cstdint>

#include "checked_wheel.h"
#include "choices.h"

namespace timeout_wheel {

struct ProgramOptions {
  std::uint32_t check_one_in = 1;
  bool interrupted = false;  // the wheel is interrupted now and then
};

class Program final : private CheckedWheel::Listener {
 public:
  explicit Program(Choices& choices, const ProgramOptions& options = {});

  /// Runs until the number of operations is reached, the decisions end, or the wheel and the list disagree.
  void Run(std::uint64_t operations);
  /// Goes from one wake-up to the next, as a driver does, until no timer is left.
  void Finish();

  std::uint64_t operations() const { return wheel_.operations(); }

 private:
  std::uint32_t Below(std::uint32_t bound) { return choices_.Below(bound); }
  bool OneIn(std::uint32_t n) { return choices_.OneIn(n); }
  static HarnessOptions WheelOf(Choices& choices);

  void Expired() override;
  void Paused() override;

  double Fraction() { return Below(8) / 8.0; }
  double Delay();
  Unit Any() { return wheel_.unit(Below(static_cast<std::uint32_t>(wheel_.size()))); }
  void Act();
  void Burst();
  void PassTime();

  Choices& choices_;
  const ProgramOptions options_;
  CheckedWheel wheel_;
  std::uint32_t kinds_of_delay_;
  std::uint32_t most_pending_;
  bool finishing_ = false;
};

}  // namespace timeout_wheel
