// Runs random programs on every design and compares them with a sorted list.
//
//   TIMEOUT_WHEEL_SEED=n   runs only the program of that seed, to replay a failure
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "harness.h"

namespace timeout_wheel::bench {
namespace {

template <class D>
class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed) {
    driver_.OnExpiry([this](int name) { Expired(name); });
  }

  void Run(int operations) {
    for (int i = 0; i < operations && !testing::Test::HasFailure(); ++i) Step();
    while (!keys_.empty() && !testing::Test::HasFailure()) RunFor(FurthestTicks());
  }

 private:
  struct Timer {
    Tick deadline;
    Tick latest;
    std::uint64_t order;
  };
  using Key = std::pair<Tick, std::uint64_t>;

  std::uint32_t Below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  Tick Delay() {
    switch (Below(7)) {
      case 0: return Below(3);
      case 1: return 1 + Below(70);
      case 2: return 250 + Below(20);
      case 3: return 1 + Below(5000);
      case 4: return 65530 + Below(12);
      case 5: return 30000;
      default: return Below(300000);
    }
  }

  void Step() {
    const std::uint32_t kind = Below(100);
    if (kind < 45) {
      Schedule();
    } else if (kind < 60) {
      if (!names_.empty()) Cancel();
    } else if (kind < 75) {
      if (!names_.empty()) Reschedule();
    } else if (kind < 78) {
      driver_.design().Settle();
    } else {
      RunFor(Below(3) == 0 ? 1 + Below(8) : Below(40) == 0 ? 1 + Below(100000) : 1 + Below(300));
    }
  }

  void Note(int name, Tick deadline) {
    // From a callback the delay may count from the tick being run, which may be as early as the last advance's.
    const Tick delay = deadline > reached_ ? deadline - reached_ : 0;
    // An overdue timer must run by the next tick.
    const Tick latest = std::max(deadline, driver_.now() + 1) + LatenessOf<D>(delay);
    timers_[name] = {deadline, latest, order_};
    keys_[{latest, order_++}] = name;
  }
  void Forget(int name) {
    const Timer& timer = timers_.at(name);
    keys_.erase({timer.latest, timer.order});
    timers_.erase(name);
  }

  void Schedule() {
    const Tick deadline = driver_.now() + Delay();
    const int name = next_name_++;
    Note(name, deadline);
    names_.push_back(name);
    driver_.Schedule(name, deadline);
  }
  // Often the next timer, which may belong to the tick that runs.
  int AnyName() {
    return Below(3) == 0 ? keys_.begin()->second : names_[Below(static_cast<std::uint32_t>(names_.size()))];
  }
  void Drop(int name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    *found = names_.back();
    names_.pop_back();
  }
  void Cancel() {
    const int name = AnyName();
    Drop(name);
    Forget(name);
    driver_.Cancel(name);
  }
  void Reschedule() {
    const int name = AnyName();
    const Tick deadline = driver_.now() + Delay();
    Forget(name);
    Note(name, deadline);
    driver_.Reschedule(name, deadline);
  }

  // Ticks to the latest pending timer.
  Tick FurthestTicks() const { return keys_.rbegin()->first.first - driver_.now(); }

  void RunFor(Tick ticks) {
    last_ = {0, 0};
    driver_.Advance(driver_.now() + ticks);
    reached_ = driver_.now();
    ASSERT_EQ(driver_.pending(), timers_.size());
    if (keys_.empty()) return;
    EXPECT_GT(keys_.begin()->first.first, driver_.now()) << "timer " << keys_.begin()->second << " was lost";
  }

  void Expired(int name) {
    ASSERT_TRUE(timers_.contains(name));
    const Timer timer = timers_.at(name);
    ASSERT_GE(driver_.now(), timer.deadline) << "early";
    // An overdue timer may run before or after the others of its tick.
    if (D::kTraits.exact && timer.deadline == timer.latest) {
      const Key key{timer.deadline, D::kTraits.fifo ? timer.order : 0};
      ASSERT_LE(last_, key) << "out of order: timer " << name;
      last_ = key;
    }
    Drop(name);
    Forget(name);
    const std::uint32_t kind = Below(12);
    if (kind == 0) Schedule();
    if (kind == 1 && !names_.empty()) Cancel();
    if (kind == 2 && !names_.empty()) Reschedule();
  }

  std::mt19937_64 random_;
  Driver<D> driver_;
  std::map<int, Timer> timers_;
  std::map<Key, int> keys_;  // by the latest tick at which a timer may run
  std::vector<int> names_;
  std::uint64_t order_ = 1;
  int next_name_ = 0;
  Key last_;
  Tick reached_ = 0;  // the tick of the last finished advance
};

template <class D>
class DesignModel : public testing::Test {};
TYPED_TEST_SUITE(DesignModel, AllDesigns<testing::Types>, NameOfDesign);

TYPED_TEST(DesignModel, AgreesWithASortedList) {
  const char* setting = std::getenv("TIMEOUT_WHEEL_SEED");
  const std::uint64_t only = setting == nullptr ? 0 : std::strtoull(setting, nullptr, 10);
  for (std::uint64_t seed = 1; seed <= 12 && !this->HasFailure(); ++seed) {
    if (only != 0) seed = only;
    SCOPED_TRACE("replay with TIMEOUT_WHEEL_SEED=" + std::to_string(seed));
    Program<TypeParam>(seed).Run(4000);
    if (only != 0) break;
  }
}

}  // namespace
}  // namespace timeout_wheel::bench
