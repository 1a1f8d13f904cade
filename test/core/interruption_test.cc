// Calls that end at any point, as WebAssembly's do when the stack is used up. The compiler calls a function at each
// branch of this file, and that function leaves the call. So the core is compiled here once more, under another
// namespace.
// Its bounds are small, so that few timers meet them.
#define timeout_wheel interruptible
#define TIMEOUT_WHEEL_SMALL_BOUNDS
#include <gtest/gtest.h>

#include <csetjmp>
#include <cstdio>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/testing/invariants.cc"
#include "core/timer_wheel.cc"
#include "harness.h"
#include "model/choices.h"
#include "model/settings.h"

namespace {
std::jmp_buf outside;
// Branches until the interruption. 0: none.
std::uint64_t left = 0;
}  // namespace

#define NOT_INTERRUPTED __attribute__((no_sanitize_coverage))

extern "C" NOT_INTERRUPTED void __sanitizer_cov_trace_pc() {
  if (left != 0 && --left == 0) std::longjmp(outside, 1);
}

namespace interruptible {
namespace {

/// Makes a call that ends after so many branches. Returns whether it was interrupted.
template <class Call>
NOT_INTERRUPTED bool InterruptAfter(std::uint64_t branches, Call&& call) {
  if (setjmp(outside) != 0) return true;
  left = branches;
  call();
  left = 0;
  return false;
}

/// A wheel whose calls may be interrupted, beside a table of when each timer may run.
class Interrupted {
 public:
  explicit Interrupted(std::uint64_t seed) : choices_(seed) { wheel_.CheckOneIn(UINT32_MAX); }

  /// Prepares a wheel in which all kinds of entries lie, and a queue that is not applied.
  void Prepare(std::uint32_t timers) {
    for (std::uint32_t i = 0; i < timers; ++i) Set();
    for (std::uint32_t i = 0; i < timers; ++i) Change();
    wheel_.Pass(choices_.Below(300));
    for (int i = 0; i < 5; ++i) Change();
  }
  void Set() {
    const Unit unit = wheel_.client().next();
    const double delay = Delay();
    due_[unit] = wheel_.now() + delay;
    wheel_.client().Set(delay);
  }
  void Change() {
    if (due_.empty() || choices_.OneIn(3)) return Set();
    const Unit unit = Any();
    if (choices_.OneIn(3)) {
      due_.erase(unit);
      return wheel_.client().Cancel(unit);
    }
    const double delay = Delay();
    due_[unit] = wheel_.now() + delay;
    wheel_.client().Move(unit, delay);
  }
  /// Changes timers while the queue may be left of an interrupted call. It has room for some more.
  void ChangeSome() {
    for (std::uint32_t i = choices_.Below(4); i > 0; --i) Change();
  }

  void Apply() { wheel_.wheel().Apply(wheel_.now()); }
  void Expire() {
    if (wheel_.unfinished()) {
      wheel_.wheel().Resume(wheel_.now());
    } else {
      wheel_.wheel().Expire(wheel_.now());
    }
  }
  double FindWake() { return wheel_.wheel().FindWake(); }
  /// Makes one of the calls.
  void Call() {
    switch (choices_.Below(3)) {
      case 0: return Apply();
      case 1: return Expire();
      default: FindWake();
    }
  }
  /// Runs what was handed over by a call that has ended.
  void Dispatch() {
    if (wheel_.control(kBusy) != 0) return;
    wheel_.client().Dispatch([this](Unit unit) {
      const auto found = due_.find(unit);
      ASSERT_NE(found, due_.end()) << "unit " << unit << " ran and is not pending";
      EXPECT_LE(found->second, wheel_.now()) << "unit " << unit << " is early";
      due_.erase(found);
    });
  }
  /// Checks the invariants after a call that was not interrupted.
  void Check() {
    if (wheel_.control(kBusy) == 0) wheel_.Check();
  }
  /// Runs all timers.
  void Finish() {
    Apply();
    wheel_.Check();
    while (!due_.empty() && !testing::Test::HasFailure()) {
      const double wake = wheel_.EndTurn();
      ASSERT_NE(wake, TimerWheel::kNever) << due_.size() << " timers are lost";
      wheel_.PassTo(wake);
      do {
        Expire();
        Dispatch();
      } while (wheel_.unfinished());
    }
  }
  void Pass(double ms) { wheel_.Pass(ms); }
  RandomChoices& choices() { return choices_; }

 private:
  double Delay() { return 1 + choices_.Below(choices_.OneIn(3) ? 100'000 : 400) + choices_.Below(4) / 4.0; }
  Unit Any() { return std::next(due_.begin(), choices_.Below(static_cast<std::uint32_t>(due_.size())))->first; }

  RandomChoices choices_;
  Harness wheel_;
  // The time before which each pending timer must not run.
  std::map<Unit, double> due_;
};

// Interrupts a call at its first branch, at its second one and so on. Returns how many branches it has.
template <class Prepare, class Call>
std::uint64_t InterruptAtEachBranch(const Prepare& prepare, const Call& call) {
  for (std::uint64_t branches = 1; !testing::Test::HasFailure(); ++branches) {
    SCOPED_TRACE("interrupted after " + std::to_string(branches) + " branches");
    Interrupted wheel(7);
    prepare(wheel);
    const bool interrupted = InterruptAfter(branches, [&] { call(wheel); });
    wheel.Dispatch();
    wheel.ChangeSome();
    wheel.Finish();
    if (!interrupted) return branches;
  }
  return 0;
}

void Fill(Interrupted& wheel) { wheel.Prepare(60); }

TEST(Interruption, OfApplyLosesNothing) {
  EXPECT_GT(InterruptAtEachBranch(Fill, [](Interrupted& wheel) { wheel.Apply(); }), 20U);
}

TEST(Interruption, OfExpireLosesNothing) {
  EXPECT_GT(InterruptAtEachBranch(Fill, [](Interrupted& wheel) { wheel.Expire(); }), 100U);
}

TEST(Interruption, OfFindWakeLosesNothing) {
  EXPECT_GT(InterruptAtEachBranch(Fill, [](Interrupted& wheel) { wheel.FindWake(); }), 50U);
}

TEST(Interruption, OfFindWakeDoesNotChangeTheWakeUp) {
  Interrupted whole(7);
  whole.Prepare(60);
  whole.Apply();
  const double wake = whole.FindWake();
  bool interrupted = true;
  for (std::uint64_t branches = 1; interrupted && !testing::Test::HasFailure(); ++branches) {
    Interrupted wheel(7);
    wheel.Prepare(60);
    wheel.Apply();
    interrupted = InterruptAfter(branches, [&] { wheel.FindWake(); });
    EXPECT_LE(wheel.FindWake(), wake) << "interrupted after " << branches << " branches";
  }
}

TEST(Interruption, OfTheRepairLosesNothing) {
  const auto interrupt = [](Interrupted& wheel) {
    wheel.Prepare(20);
    EXPECT_TRUE(InterruptAfter(100, [&] { wheel.Expire(); }));
  };
  EXPECT_GT(InterruptAtEachBranch(interrupt, [](Interrupted& wheel) { wheel.Apply(); }), 100U);
}

TEST(Interruption, OfManyCallsLosesNothing) {
  const std::uint64_t only = Setting("TIMEOUT_WHEEL_SEED", 0);
  const std::uint64_t first = only != 0 ? only : NewSeed();
  const std::uint64_t programs = only != 0 ? 1 : Scaled(300, 3000);
  for (std::uint64_t seed = first; seed < first + programs && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("replay with TIMEOUT_WHEEL_SEED=" + std::to_string(seed));
    Interrupted wheel(seed);
    wheel.Prepare(1 + wheel.choices().Below(100));
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t branches = 1 + wheel.choices().Below(1U << wheel.choices().Below(14));
      InterruptAfter(branches, [&] { wheel.Call(); });
      wheel.Dispatch();
      wheel.Check();
      wheel.ChangeSome();
      if (wheel.choices().OneIn(3)) wheel.Pass(wheel.choices().Below(200));
    }
    wheel.Finish();
  }
}

}  // namespace
}  // namespace interruptible
