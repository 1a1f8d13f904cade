#include "core/level.h"

#include <gtest/gtest.h>

namespace timeout_wheel {
namespace {

// Slots 512 to 1,023, each of 256 ticks.
using Windows = Level<8, 512, 512>;

TEST(Level, NumbersItsSlotsFromItsFirst) {
  EXPECT_EQ(Windows::SlotOf(0), 512U);
  EXPECT_EQ(Windows::SlotOf(255), 512U);
  EXPECT_EQ(Windows::SlotOf(256), 513U);
  EXPECT_EQ(Windows::SlotOf(131071), 1023U);
  EXPECT_EQ(Windows::SlotOf(131072), 512U);
  EXPECT_EQ(Windows::SlotOf(0xffffffff), 1023U);
}

TEST(Level, ASlotStartsAtAMultipleOfItsSpan) {
  EXPECT_EQ(Windows::StartOf(255), 0U);
  EXPECT_EQ(Windows::StartOf(256), 256U);
  EXPECT_EQ(Windows::StartOf(0xffffffff), 0xffffff00U);
}

TEST(Level, TheStartOfASlotIsTheNextOneSeenFromNow) {
  for (const Tick now : {0U, 255U, 256U, 1000000U, 0xfffffff0U}) {
    for (std::uint32_t ahead = 0; ahead < Windows::kSlotCount; ++ahead) {
      const Tick tick = now + ahead * Windows::kSpan;
      ASSERT_EQ(Windows::StartOfSlot(Windows::SlotOf(tick), now), Windows::StartOf(tick));
    }
  }
}

TEST(Level, FindsTheNextOccupiedSlotAroundTheRing) {
  OccupiedSlots occupied;
  const auto ticks_from = [&](Tick now) { return TicksToNextSlot<Windows>(occupied, now); };
  // Slots of the levels before and after.
  occupied.Set(Windows::kFirstSlot - 1);
  occupied.Set(Windows::kFirstSlot + Windows::kSlotCount);
  EXPECT_EQ(ticks_from(12345), UINT32_MAX);
  occupied.Set(Windows::SlotOf(1000));
  EXPECT_EQ(ticks_from(0), Windows::StartOf(1000));
  EXPECT_EQ(ticks_from(Windows::StartOf(1000) - 1), 1U);
  EXPECT_EQ(ticks_from(Windows::StartOf(1000)), 0U);
  EXPECT_EQ(ticks_from(1024), Windows::kSlotCount * Windows::kSpan - 1024 + Windows::StartOf(1000))
      << "one turn of the ring ahead";
  occupied.Reset(Windows::SlotOf(1000));
  EXPECT_EQ(ticks_from(0), UINT32_MAX);
}

TEST(Level, ComparesTicksAcrossTheWrap) {
  EXPECT_TRUE(Before(1, 2));
  EXPECT_FALSE(Before(2, 2));
  EXPECT_TRUE(Before(0xffffffff, 0));
  EXPECT_TRUE(Before(0, 0x7fffffff));
  EXPECT_FALSE(Before(0x7fffffff, 0));
}

}  // namespace
}  // namespace timeout_wheel
