#include "core/slot_bitmap.h"

#include <gtest/gtest.h>

namespace timeout_wheel {
namespace {

using Bitmap = SlotBitmap<256>;

std::uint32_t DistanceFrom(const Bitmap& bitmap, std::uint32_t slot) {
  return DistanceIn(bitmap.words(), 256 / kBitmapWordBits, slot);
}

TEST(SlotBitmap, IsEmptyAtFirst) {
  const Bitmap bitmap;
  for (std::uint32_t slot = 0; slot < 256; ++slot) {
    EXPECT_FALSE(bitmap.Test(slot));
    EXPECT_EQ(DistanceFrom(bitmap, slot), 256U);
  }
}

TEST(SlotBitmap, SetsAndResetsOneSlotAlone) {
  for (std::uint32_t slot = 0; slot < 256; ++slot) {
    Bitmap bitmap;
    bitmap.Set(slot);
    for (std::uint32_t other = 0; other < 256; ++other) EXPECT_EQ(bitmap.Test(other), other == slot);
    bitmap.Set((slot + 1) % 256);
    bitmap.Reset(slot);
    EXPECT_FALSE(bitmap.Test(slot));
    EXPECT_TRUE(bitmap.Test((slot + 1) % 256));
  }
}

TEST(SlotBitmap, FindsTheNextSlotFromEveryPlaceAroundTheRing) {
  for (std::uint32_t slot = 0; slot < 256; ++slot) {
    Bitmap bitmap;
    bitmap.Set(slot);
    for (std::uint32_t from = 0; from < 256; ++from) {
      ASSERT_EQ(DistanceFrom(bitmap, from), (slot - from) % 256) << from << " to " << slot;
    }
  }
}

TEST(SlotBitmap, FindsTheNearestOfSeveral) {
  Bitmap bitmap;
  for (const std::uint32_t slot : {3U, 63U, 64U, 200U}) bitmap.Set(slot);
  EXPECT_EQ(DistanceFrom(bitmap, 0), 3U);
  EXPECT_EQ(DistanceFrom(bitmap, 3), 0U);
  EXPECT_EQ(DistanceFrom(bitmap, 4), 59U);
  EXPECT_EQ(DistanceFrom(bitmap, 64), 0U);
  EXPECT_EQ(DistanceFrom(bitmap, 65), 135U);
  EXPECT_EQ(DistanceFrom(bitmap, 201), 58U);
}

TEST(SlotBitmap, ClearsAllSlots) {
  Bitmap bitmap;
  for (std::uint32_t slot = 0; slot < 256; slot += 3) bitmap.Set(slot);
  bitmap.Clear();
  EXPECT_EQ(DistanceFrom(bitmap, 0), 256U);
}

}  // namespace
}  // namespace timeout_wheel
