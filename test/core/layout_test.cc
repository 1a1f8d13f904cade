#include "core/layout.h"

#include <gtest/gtest.h>

#include "core/memory.h"
#include "core/slot_store.h"

namespace timeout_wheel {
namespace {

TEST(Layout, RegionsOfTheBaseFollowEachOther) {
  EXPECT_LT(kHeld, kFraction);
  EXPECT_EQ(kFraction % 2, 0U) << "reals are aligned";
  EXPECT_LE(kFraction + 2 * kEpochLength, kTouched);
  EXPECT_LE(kTouched + kEpochLength, kSubmissionsWord);
  EXPECT_LE(kSubmissionsWord + kSubmissionsCapacity, kExpirationsWord);
  EXPECT_LE(kExpirationsWord + kExpirationsCapacity, kHeadsWord);
  EXPECT_LE(kHeadsWord + SlotStore::kChains * kChunkWords, kFirstBlockWord);
}

TEST(Layout, RecordsFillTheFirstPartOfEachBlock) {
  EXPECT_EQ(UnitOfRecord(0), kFirstUnit);
  EXPECT_EQ(UnitOfRecord(kRecordsPerBlock - 1), kFirstUnit + kRecordsPerBlock - 1);
  EXPECT_EQ(UnitOfRecord(kRecordsPerBlock), kFirstUnit + kUnitsPerBlock);
}

TEST(Layout, ChunksAreEnoughForTwoEntriesPerRecord) {
  // For all entries in one slot. Tests of the wheel cover many slots with a few entries each.
  EXPECT_GT(kChunksPerBlock * kChunkLink, 2 * kRecordsPerBlock);
}

TEST(Layout, TheLargestMemoryIsAGibibyte) {
  EXPECT_EQ(std::uint64_t{kBaseBlocks + kMaxBlocks} * kBlockBytes, std::uint64_t{1} << 30);
}

}  // namespace
}  // namespace timeout_wheel
