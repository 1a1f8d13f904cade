// What every design must have for a fair comparison, beside that which its model tests. The wheel that does not cascade
// is late.
#include <vector>

#include "harness.h"

namespace timeout_wheel::bench {
namespace {

TYPED_TEST_SUITE(Designs, AllDesigns<testing::Types>, NameOfDesign);

// Deadlines at each kind of distance, including the edges of all levels.
TYPED_TEST(Designs, SleepsThroughEmptyTimeAndRunsNothingEarlyAndNothingLate) {
  std::vector<Tick> deadlines = {1, 2, 3, 30000, 60000, 7200000, 3 * 3600000};
  for (const Tick edge : {19, 20, 62, 63, 64, 256, 400, 504, 512, 4096, 8000, 65536, 160000, 262144, 1 << 24}) {
    for (const Tick near : {edge - 1, edge, edge + 1}) deadlines.push_back(near);
  }
  auto& driver = this->driver_;
  EXPECT_EQ(driver.design().NextExpiry(), kNoExpiry);
  // The index is the name of the timer.
  for (std::size_t i = 0; i < deadlines.size(); ++i) driver.Schedule(static_cast<int>(i), deadlines[i]);
  driver.SleepUntil(1 << 25);
  ASSERT_EQ(driver.runs().size(), deadlines.size());
  for (const auto& run : driver.runs()) {
    const Tick deadline = deadlines[static_cast<std::size_t>(run.name)];
    EXPECT_GE(run.at, deadline);
    EXPECT_LE(run.at, deadline + LatenessOf<TypeParam>(deadline));
  }
  EXPECT_EQ(driver.design().NextExpiry(), kNoExpiry);
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
