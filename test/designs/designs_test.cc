// Runs random programs on every design and compares them with a sorted list. Traits name the exceptions: the wheel that
// does not cascade is late, and some designs do not keep the order of timers within a tick.
//
//   TIMEOUT_WHEEL_SEED=n   runs only the program of that seed, to replay a failure
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/design.h"
#include "core/designs/all.h"
#include "model/settings.h"

namespace timeout_wheel::bench {
namespace {

/// How late a timer with this delay may run. Only the wheel that does not cascade is late, by less than an eighth.
template <class D>
Tick LatenessOf(Tick delay) {
  return D::kTraits.exact ? 0 : delay / 8 + 1;
}

// The edges of the levels of all wheels, and usual delays.
constexpr Tick kEdges[] = {20,   63,    64,    256,   400,    504,    512,     4096,
                           8000, 30000, 60000, 65536, 160000, 262144, 7200000, 1 << 24};

template <Design D>
class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed) {}

  void Run(int operations) {
    EXPECT_EQ(design_.NextExpiry(), kNoExpiry);
    for (int i = 0; i < operations && !testing::Test::HasFailure(); ++i) Step();
    while (!order_.empty() && !testing::Test::HasFailure()) RunFor(NextTick() - now_);
  }

 private:
  using Handle = typename D::Handle;
  using Name = std::uint32_t;
  struct Timer {
    Handle handle;
    Tick deadline;
    Tick latest;  // the last tick at which it may run
    std::uint64_t operation;
  };

  std::uint32_t Below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  Tick Deadline() {
    switch (Below(6)) {
      case 0: return now_ + Below(3);
      case 1: return now_ + 1 + Below(70);
      case 2: return now_ + 1 + Below(5000);
      case 3: return now_ + Below(300000);
      default: return now_ + kEdges[Below(std::size(kEdges))] - 1 + Below(3);
    }
  }

  void Step() {
    const std::uint32_t kind = Below(100);
    if (kind < 75) return Operate(kind / 15);
    if (kind < 78) return design_.Settle();
    RunFor(Below(3) == 0 ? 1 + Below(8) : Below(40) == 0 ? 1 + Below(100000) : 1 + Below(300));
  }

  void Operate(std::uint32_t kind) {
    const Tick deadline = Deadline();
    if (kind < 3) return Hold(next_name_++, design_.Schedule(deadline), deadline);
    if (timers_.empty()) return;
    const Name name = AnyName();
    const Handle handle = LetGo(name);
    if (kind == 3) return design_.Cancel(handle);
    Hold(name, design_.Reschedule(handle, deadline), deadline);
  }

  // Often the next timer, which may belong to the tick that runs.
  Name AnyName() {
    if (Below(3) == 0) return std::get<2>(*order_.begin());
    const auto any = timers_.lower_bound(Below(next_name_));
    return (any == timers_.end() ? timers_.begin() : any)->first;
  }

  void Hold(Name name, Handle handle, Tick deadline) {
    // From a callback the delay may count from the tick being run, which may be as early as the last advance's.
    const Tick delay = deadline > reached_ ? deadline - reached_ : 0;
    // An overdue timer must run by the next tick.
    const Tick latest = std::max(deadline, now_ + 1) + LatenessOf<D>(delay);
    ASSERT_TRUE(names_.emplace(handle, name).second) << "the record of timer " << name << " is in use";
    timers_[name] = {handle, deadline, latest, operations_};
    order_.emplace(latest, operations_++, name);
  }
  Handle LetGo(Name name) {
    const Timer timer = timers_.at(name);
    order_.erase({timer.latest, timer.operation, name});
    timers_.erase(name);
    names_.erase(timer.handle);
    return timer.handle;
  }

  /// Advances at once, or from one expiry to the next, as a driver that sleeps does.
  void RunFor(Tick ticks) {
    const Tick end = now_ + ticks;
    sleeps_ = Below(2) == 0;
    if (sleeps_) {
      for (Tick next = design_.NextExpiry(); next < end; next = design_.NextExpiry()) Advance(std::max(next, now_ + 1));
    }
    if (now_ != end) Advance(end);
  }

  void Advance(Tick now) {
    last_ = {0, 0};
    now_ = now;
    design_.Advance(now, [this](Handle handle) { Expired(handle); });
    reached_ = now;
    EXPECT_FALSE(!order_.empty() && NextTick() <= now) << "a timer was lost";
  }
  Tick NextTick() const { return std::get<0>(*order_.begin()); }

  void Expired(Handle handle) {
    const auto found = names_.find(handle);
    ASSERT_NE(found, names_.end()) << "something ran that is not pending, at " << now_;
    const Name name = found->second;
    const Timer timer = timers_.at(name);
    ASSERT_GE(now_, timer.deadline) << "early";
    if (sleeps_) {
      ASSERT_LE(now_, timer.latest) << "late";
    }
    // An overdue timer may run before or after the others of its tick.
    if (D::kTraits.exact && timer.deadline == timer.latest) {
      const std::pair key{timer.deadline, D::kTraits.fifo ? timer.operation : 0};
      ASSERT_LE(last_, key) << "out of order: timer " << name;
      last_ = key;
    }
    LetGo(name);
    const std::uint32_t kind = Below(12);
    if (kind < 3) Operate(kind + 2);
  }

  std::mt19937_64 random_;
  D design_{4096};
  Tick now_ = 0;
  Tick reached_ = 0;  // the tick of the last finished advance
  bool sleeps_ = false;
  std::map<Name, Timer> timers_;
  std::unordered_map<Handle, Name> names_;
  /// By the latest tick, then by operation.
  std::set<std::tuple<Tick, std::uint64_t, Name>> order_;
  Name next_name_ = 0;
  std::uint64_t operations_ = 0;
  std::pair<Tick, std::uint64_t> last_;
};

/// Names each design, which is a type, as in the benchmark.
struct NameOfDesign {
  template <class D>
  static std::string GetName(int) {
    return D::kTraits.name;
  }
};

template <class D>
class Designs : public testing::Test {};
TYPED_TEST_SUITE(Designs, AllDesigns<testing::Types>, NameOfDesign);

TYPED_TEST(Designs, AgreeWithASortedList) {
  const std::uint64_t only = Setting("TIMEOUT_WHEEL_SEED", 0);
  const std::uint64_t end = only != 0 ? only + 1 : 13;
  for (std::uint64_t seed = std::max<std::uint64_t>(only, 1); seed < end && !this->HasFailure(); ++seed) {
    SCOPED_TRACE("replay with TIMEOUT_WHEEL_SEED=" + std::to_string(seed));
    Program<TypeParam>(seed).Run(4000);
  }
}

}  // namespace
}  // namespace timeout_wheel::bench
