#include "core/level.h"

#include <gtest/gtest.h>

namespace timeout_wheel {
namespace {

// Slots 512 to 1,023, each of 256 ticks.
using Windows = Level<8, 512, 512>;

TEST(Level, TheStartOfASlotIsTheNextOneSeenFromNow) {
  for (const Tick now : {0U, 255U, 256U, 1000000U, 0xfffffff0U}) {
    for (std::uint32_t ahead = 0; ahead < Windows::kSlotCount; ++ahead) {
      const Tick tick = now + ahead * Windows::kSpan;
      ASSERT_EQ(Windows::StartOfSlot(Windows::SlotOf(tick), now), tick / 256 * 256);
    }
  }
}

TEST(Level, FindsTheNextOccupiedSlotFromEveryPlaceAroundTheRing) {
  OccupiedSlots occupied;
  // Slots of the levels before and after.
  occupied.Set(511);
  occupied.Set(1024);
  EXPECT_EQ(TicksToNextSlot<Windows>(occupied, 12345), UINT32_MAX);
  for (std::uint32_t slot = 0; slot < 512; ++slot) {
    occupied.Set(512 + slot);
    for (std::uint32_t from = 0; from < 512; ++from) {
      const std::uint32_t ahead = (slot - from) % 512 * 256;
      ASSERT_EQ(TicksToNextSlot<Windows>(occupied, from * 256), ahead) << from << " to " << slot;
      if (from == (slot + 1) % 512) continue;  // the tick before lies in the slot
      ASSERT_EQ(TicksToNextSlot<Windows>(occupied, from * 256 - 1), ahead + 1) << from << " to " << slot;
    }
    occupied.Reset(512 + slot);
  }
}

}  // namespace
}  // namespace timeout_wheel
