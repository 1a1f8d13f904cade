// Random programs, compared with a sorted list: what ran, in which order, and that nothing due was left.
//
//   TIMEOUT_WHEEL_SEED=n         runs the program of that seed alone, to replay a failure
//   TIMEOUT_WHEEL_OPERATIONS=n   operations of each program
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness.h"

namespace timeout_wheel {
namespace {

std::uint64_t Setting(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

/// What a wheel should do: timers by tick, on a scale that does not wrap, then by the number of their last operation.
class SortedList {
 public:
  bool empty() const { return timers_.empty(); }
  std::size_t size() const { return units_.size(); }
  Unit unit(std::size_t i) const { return units_[i]; }
  bool contains(Unit unit) const { return keys_.contains(unit); }
  bool DueBy(std::uint64_t tick) const { return !empty() && timers_.begin()->first.first <= tick; }
  std::uint64_t next_tick() const { return timers_.begin()->first.first; }
  Unit first() const { return timers_.begin()->second; }

  void Put(Unit unit, std::uint64_t tick) {
    const auto known = keys_.find(unit);
    if (known == keys_.end()) {
      keys_.emplace(unit, Place{{tick, operations_}, units_.size()});
      units_.push_back(unit);
    } else {
      timers_.erase(known->second.key);
      known->second.key = {tick, operations_};
    }
    timers_.emplace(Key{tick, operations_++}, unit);
  }
  void Remove(Unit unit) {
    const Place place = keys_.at(unit);
    timers_.erase(place.key);
    keys_.at(units_.back()).index = place.index;
    units_[place.index] = units_.back();
    units_.pop_back();
    keys_.erase(unit);
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Place {
    Key key;
    std::size_t index;
  };

  std::map<Key, Unit> timers_;
  std::unordered_map<Unit, Place> keys_;
  Units units_;
  std::uint64_t operations_ = 0;
};

class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed), harness_(StartOf(seed)) {
    widest_ = kWidths[seed % std::size(kWidths)];
    bursts_ = seed % 3 != 0;
    now_ = (std::uint64_t{1} << 32) + harness_.tick();
    if (bursts_) harness_.CheckOneIn(8);
    harness_.OnExpiry([this](Unit unit) { Expired(unit); });
  }

  void Run(std::uint64_t operations) {
    for (operation_ = 0; operation_ < operations && !testing::Test::HasFailure(); ++operation_) {
      Step();
      if (operation_ % 16 == 0) harness_.Check();
    }
    Finish();
  }

 private:
  // Just before the ticks at which levels and the scale wrap.
  static constexpr Tick kStarts[] = {0,          0xfb,       0xfffb,     0xfffffb,  0x7ffffffb,
                                     0xfffffd40, 0xfffffffb, 0xffff0000, 0xff000000};
  // How many kinds of delay a program uses, from the short ones on.
  static constexpr std::uint32_t kWidths[] = {3, 6, 9};
  static constexpr std::uint32_t kMaxBlocksUsed = 4;
  // A deadline lies within 2^31 ticks of the wheel's tick, which may be behind by a whole run.
  static constexpr std::uint32_t kLongestRun = 0x10000000;
  static constexpr std::uint32_t kLongestDelay = 0x7ffffff0 - kLongestRun;

  static Tick StartOf(std::uint64_t seed) {
    return kStarts[seed % std::size(kStarts)] + static_cast<Tick>(seed / std::size(kStarts) % 5);
  }

  std::uint32_t Below(std::uint64_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool OneIn(std::uint32_t n) { return Below(n) == 0; }

  std::uint32_t Delay() {
    switch (Below(widest_)) {
      case 0: return Below(4);
      case 1: return Below(300);
      case 2: return 250 + Below(12);
      case 3: return Below(70000);
      case 4: return 65530 + Below(12);
      case 5: return 30000;
      case 6: return Below(1 << 25);
      case 7: return (1 << 24) - 3 + Below(6);
      default: return Below(kLongestDelay);
    }
  }

  // The tick at which a timer of this delay is due: a little later where that tick stands for a state.
  std::uint64_t DueIn(std::uint32_t delay) const {
    const std::uint64_t due = now_ + delay;
    const Tick tick = static_cast<Tick>(due);
    return due + (ValidTick(tick) - tick);
  }

  void Step() {
    const std::uint32_t kind = Below(100);
    if (kind < 40) {
      ScheduleSome();
    } else if (kind < 55) {
      CancelSome();
    } else if (kind < 80) {
      RescheduleSome();
    } else if (kind < 84) {
      harness_.wheel().TakeSubmissions();
    } else if (kind < 85) {
      harness_.Move();
    } else {
      RunFor(Ticks());
    }
  }

  std::uint32_t Ticks() {
    switch (Below(8)) {
      case 0: return 0;
      case 1: return 1;
      case 2: return Below(3);
      case 3: return Below(600);
      case 4: return widest_ > 3 ? Below(140000) : 5;
      case 5: return widest_ > 6 && OneIn(4) ? Below(kLongestRun) : Below(256);
      default: return Below(256);
    }
  }

  void Schedule(std::uint32_t delay) {
    if (harness_.submitter().full()) {
      if (harness_.blocks() == kMaxBlocksUsed) return;
      harness_.Grow(1);
    }
    const Unit unit = harness_.submitter().Schedule(static_cast<Tick>(now_ + delay));
    ASSERT_FALSE(list_.contains(unit)) << "a record in use was handed out";
    list_.Put(unit, DueIn(delay));
  }
  void Cancel(Unit unit) {
    list_.Remove(unit);
    harness_.submitter().Cancel(unit);
  }
  void Reschedule(Unit unit, std::uint32_t delay) {
    harness_.submitter().Reschedule(unit, static_cast<Tick>(now_ + delay));
    list_.Put(unit, DueIn(delay));
  }
  Unit AnyUnit() { return list_.unit(Below(list_.size())); }

  void ScheduleSome() {
    const std::uint32_t count = bursts_ && OneIn(150) ? 6000 : 1;
    const bool same = OneIn(2);
    const std::uint32_t delay = Delay();
    for (std::uint32_t i = 0; i < count; ++i) Schedule(same ? delay : Delay());
  }
  void CancelSome() {
    const std::size_t count = bursts_ && OneIn(150) ? list_.size() / 2 : 1;
    for (std::size_t i = 0; i < count && !list_.empty(); ++i) Cancel(AnyUnit());
    if (OneIn(2)) Schedule(Delay());
  }
  void RescheduleSome() {
    if (list_.empty()) return;
    const std::uint32_t count = bursts_ && OneIn(100) ? 4000 : 1;
    const bool same = OneIn(2);
    const std::uint32_t delay = Delay();
    for (std::uint32_t i = 0; i < count; ++i) Reschedule(AnyUnit(), same ? delay : Delay());
  }

  // Runs the next `ticks` ticks; 0 asks for ticks that are past.
  void RunFor(std::uint32_t ticks) {
    target_ = now_ + ticks - 1;
    const std::uint64_t start = now_;
    now_ = target_ + 1;  // What callbacks schedule counts from the end of the run.
    do {
      harness_.Advance(static_cast<Tick>(target_));
    } while (harness_.unfinished() && !testing::Test::HasFailure());
    EXPECT_FALSE(list_.DueBy(target_)) << "unit " << list_.first() << " was due and did not run";
    EXPECT_EQ(harness_.tick(), static_cast<Tick>(now_)) << "from " << start;
  }

  void Expired(Unit unit) {
    ASSERT_TRUE(list_.DueBy(target_)) << "unit " << unit << " ran early, or for no timer";
    ASSERT_EQ(unit, list_.first()) << "out of order";
    list_.Remove(unit);
    switch (Below(16)) {
      case 0: return Schedule(Delay());
      case 1: return list_.empty() ? void() : Cancel(AnyUnit());
      case 2: return list_.empty() ? void() : Reschedule(AnyUnit(), Delay());
      default: return;
    }
  }

  // By wake-ups alone, as a driver does it, until nothing is pending.
  void Finish() {
    harness_.CheckOneIn(256);
    for (int wake_ups = 0; !list_.empty() && !testing::Test::HasFailure(); ++wake_ups) {
      harness_.Take();
      ASSERT_TRUE(harness_.armed());
      ASSERT_LT(wake_ups, 1000000) << "woken for nothing";
      RunFor(harness_.wake() - static_cast<Tick>(now_) + 1);
    }
  }

  std::mt19937_64 random_;
  Harness harness_;
  SortedList list_;
  std::uint32_t widest_ = 0;
  bool bursts_ = false;
  std::uint64_t operation_ = 0;
  std::uint64_t now_ = 0;     // the next tick to process, on a scale that does not wrap
  std::uint64_t target_ = 0;  // of the run under way
};

class Model : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Model, AgreesWithASortedList) {
  SCOPED_TRACE("replay with TIMEOUT_WHEEL_SEED=" + std::to_string(GetParam()));
  Program(GetParam()).Run(Setting("TIMEOUT_WHEEL_OPERATIONS", 3000));
}

std::vector<std::uint64_t> Seeds() {
  if (const std::uint64_t seed = Setting("TIMEOUT_WHEEL_SEED", 0); seed != 0) return {seed};
  std::vector<std::uint64_t> seeds(54);
  std::iota(seeds.begin(), seeds.end(), 1);
  return seeds;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Model, testing::ValuesIn(Seeds()));

}  // namespace
}  // namespace timeout_wheel
