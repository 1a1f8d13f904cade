// The behaviour that every design must have for a fair comparison. Traits name the exceptions: the wheel that does not
// cascade is late, and some designs do not keep the order of timers within a tick.
#include <algorithm>
#include <vector>

#include "harness.h"

namespace timeout_wheel::bench {
namespace {

TYPED_TEST_SUITE(Designs, AllDesigns<testing::Types>, NameOfDesign);

// Deadlines at each kind of distance, including the edges of all levels. The index is the name of the timer.
const std::vector<Tick>& Deadlines() {
  static const std::vector<Tick> deadlines = [] {
    std::vector<Tick> all = {1, 2, 3, 30000, 60000, 7200000};
    for (const Tick edge : {19, 20, 62, 63, 64, 256, 400, 504, 512, 4096, 8000, 65536, 160000, 262144, 1 << 24}) {
      for (const Tick near : {edge - 1, edge, edge + 1}) all.push_back(near);
    }
    return all;
  }();
  return deadlines;
}

TYPED_TEST(Designs, RunsNothingEarlyAndNothingLate) {
  auto& driver = this->driver_;
  const std::vector<Tick>& deadlines = Deadlines();
  for (std::size_t i = 0; i < deadlines.size(); ++i) driver.Schedule(static_cast<int>(i), deadlines[i]);
  driver.SleepUntil(1 << 25);
  ASSERT_EQ(driver.runs().size(), deadlines.size());
  for (const auto& run : driver.runs()) {
    const Tick deadline = deadlines[static_cast<std::size_t>(run.name)];
    EXPECT_GE(run.at, deadline);
    EXPECT_LE(run.at, deadline + LatenessOf<TypeParam>(deadline));
  }
}

TYPED_TEST(Designs, RunsTheSameWhenTimeGoesTickByTick) {
  auto& driver = this->driver_;
  for (Tick deadline = 1; deadline <= 5000; ++deadline) driver.Schedule(static_cast<int>(deadline), deadline);
  for (Tick now = 1; now <= 6000; ++now) driver.Advance(now);
  ASSERT_EQ(driver.runs().size(), 5000U);
  for (const auto& run : driver.runs()) {
    const auto deadline = static_cast<Tick>(run.name);
    EXPECT_GE(run.at, deadline);
    EXPECT_LE(run.at, deadline + LatenessOf<TypeParam>(deadline));
  }
}

TYPED_TEST(Designs, RunsEverythingDueWhenTimeJumps) {
  auto& driver = this->driver_;
  const std::vector<Tick>& deadlines = Deadlines();
  for (std::size_t i = 0; i < deadlines.size(); ++i) driver.Schedule(static_cast<int>(i), deadlines[i]);
  driver.Advance(100000);
  std::size_t due = 0;
  for (const Tick deadline : deadlines) due += deadline + LatenessOf<TypeParam>(deadline) <= 100000 ? 1 : 0;
  EXPECT_EQ(driver.runs().size(), due);
  if (!TypeParam::kTraits.exact) return;
  std::vector<Tick> order;
  for (const int name : driver.Names()) order.push_back(deadlines[static_cast<std::size_t>(name)]);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << "not by deadline";
}

TYPED_TEST(Designs, RunsAnOverdueTimerByTheNextTick) {
  auto& driver = this->driver_;
  driver.Schedule(0, 1000000);
  driver.Advance(5000);
  driver.Schedule(1, 5000);
  driver.Schedule(2, 4000);
  driver.Advance(5001);
  EXPECT_EQ(driver.runs().size(), 2U);
  EXPECT_TRUE(driver.IsPending(0));
}

// Timers of one tick run in the order of scheduling, from near and from far, unless the traits say otherwise.
TYPED_TEST(Designs, KeepsTheOrderWithinATickIfItSaysSo) {
  auto& driver = this->driver_;
  std::vector<int> names;
  for (int name = 0; name < 40; ++name) {
    const Tick now = static_cast<Tick>(name) * 250;
    if (now != 0) driver.Advance(now);
    driver.Schedule(name, 10000);
    driver.Schedule(name + 100, 10000);
    names.insert(names.end(), {name, name + 100});
  }
  driver.SleepUntil(20000);
  std::vector<int> ran = driver.Names();
  if (TypeParam::kTraits.fifo) {
    EXPECT_EQ(ran, names);
  } else {
    std::sort(ran.begin(), ran.end());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(ran, names);
  }
}

TYPED_TEST(Designs, PutsARescheduledTimerAtTheBack) {
  auto& driver = this->driver_;
  for (int name = 0; name < 4; ++name) driver.Schedule(name, 500);
  driver.Reschedule(1, 500);
  driver.Advance(1000);
  const std::vector<int> names = {0, 2, 3, 1};
  if (TypeParam::kTraits.fifo) {
    EXPECT_EQ(driver.Names(), names);
  }
  EXPECT_EQ(driver.runs().size(), 4U);
}

TYPED_TEST(Designs, RunsNothingThatWasCancelled) {
  auto& driver = this->driver_;
  for (int name = 0; name < 1000; ++name) driver.Schedule(name, static_cast<Tick>(1 + name * 37 % 900));
  for (int name = 0; name < 1000; name += 2) driver.Cancel(name);
  driver.Advance(2000);
  EXPECT_EQ(driver.runs().size(), 500U);
  for (const int name : driver.Names()) {
    EXPECT_EQ(name % 2, 1);
  }
}

TYPED_TEST(Designs, CancelsATimerOfTheSameTickFromACallback) {
  auto& driver = this->driver_;
  for (int name = 0; name < 6; ++name) driver.Schedule(name, 700);
  driver.OnExpiry([&](int name) {
    const int other = 5 - name;
    if (driver.IsPending(other)) driver.Cancel(other);
  });
  driver.Advance(1000);
  EXPECT_EQ(driver.runs().size(), 3U) << "each that ran cancelled another";
  EXPECT_EQ(driver.pending(), 0U);
}

TYPED_TEST(Designs, PutsOffATimerOfTheSameTickFromACallback) {
  auto& driver = this->driver_;
  for (int name = 0; name < 6; ++name) driver.Schedule(name, 700);
  int put_off = -1;
  driver.OnExpiry([&](int name) {
    if (put_off != -1) return;
    put_off = name == 3 ? 2 : 3;
    driver.Reschedule(put_off, 9000);
  });
  driver.Advance(1000);
  EXPECT_EQ(driver.runs().size(), 5U);
  EXPECT_TRUE(driver.IsPending(put_off));
  driver.Advance(8999);
  EXPECT_EQ(driver.runs().size(), 5U);
  driver.Advance(9000 + LatenessOf<TypeParam>(9000));
  EXPECT_EQ(driver.runs().size(), 6U);
}

TYPED_TEST(Designs, UsesTheRecordOfTheTimerThatRuns) {
  auto& driver = this->driver_;
  driver.Schedule(0, 10);
  driver.OnExpiry([&](int name) { driver.Schedule(name + 1, driver.now() + 10); });
  for (Tick now = 1; now <= 2000; ++now) driver.Advance(now);
  if (TypeParam::kTraits.exact) {
    EXPECT_EQ(driver.runs().size(), 200U);
  }
  EXPECT_EQ(driver.pending(), 1U);
  EXPECT_GE(driver.runs().size(), 180U);
}

TYPED_TEST(Designs, ReschedulesToEarlierAndToLater) {
  auto& driver = this->driver_;
  driver.Schedule(1, 50000);
  driver.Schedule(2, 1000);
  driver.Advance(10);
  driver.Reschedule(1, 400);
  driver.Reschedule(2, 90000);
  driver.Advance(399);
  EXPECT_EQ(driver.runs().size(), 0U);
  driver.Advance(400 + LatenessOf<TypeParam>(400));
  EXPECT_EQ(driver.Names(), std::vector<int>{1});
  driver.Advance(89999);
  EXPECT_EQ(driver.runs().size(), 1U);
  driver.Advance(90000 + LatenessOf<TypeParam>(90000));
  EXPECT_EQ(driver.runs().size(), 2U);
}

TYPED_TEST(Designs, SleepsThroughEmptyTimeAndNeverTooLong) {
  auto& driver = this->driver_;
  EXPECT_EQ(driver.design().NextExpiry(), kNoExpiry);
  driver.Schedule(0, 30);
  EXPECT_LE(driver.design().NextExpiry(), 30 + LatenessOf<TypeParam>(30));
  driver.Cancel(0);
  driver.Advance(100);
  driver.Schedule(1, 3 * 3600000);
  driver.SleepUntil(3 * 3600000 - 1);
  EXPECT_EQ(driver.runs().size(), 0U);
  driver.SleepUntil(3 * 3600000 + LatenessOf<TypeParam>(3 * 3600000));
  EXPECT_EQ(driver.runs().size(), 1U);
  EXPECT_EQ(driver.design().NextExpiry(), kNoExpiry);
}

TYPED_TEST(Designs, GivesNoRecordTwice) {
  auto& driver = this->driver_;
  for (int round = 0; round < 20; ++round) {
    for (int name = 0; name < 500; ++name) driver.Schedule(name, driver.now() + 100 + static_cast<Tick>(name));
    for (int name = 0; name < 500; ++name) driver.Cancel(name);
    driver.design().Settle();
    if (round % 3 == 0) driver.Advance(driver.now() + 1);
  }
  EXPECT_EQ(driver.runs().size(), 0U);
}

TYPED_TEST(Designs, HoldsBoundedMemoryWhateverIsCancelled) {
  TypeParam design(20000);
  std::vector<typename TypeParam::Handle> handles;
  std::size_t filled = 0;
  Tick now = 0;
  for (int round = 0; round < 20; ++round) {
    handles.clear();
    for (Tick i = 0; i < 20000; ++i) handles.push_back(design.Schedule(now + 1000 + i * 7 % 60000));
    design.Settle();
    if (round == 0) filled = design.Bytes();
    for (const auto& handle : handles) design.Cancel(handle);
    design.Advance(++now, [](auto) { FAIL() << "nothing is due"; });
  }
  EXPECT_LE(design.Bytes(), 3 * filled);
}

}  // namespace
}  // namespace timeout_wheel::bench
