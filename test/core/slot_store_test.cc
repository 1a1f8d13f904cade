#include "core/slot_store.h"

#include <set>

#include "harness.h"

namespace timeout_wheel {
namespace {

class Store : public testing::Test {
 protected:
  static constexpr std::uint32_t kBlocks = 2;
  // Any unit of a record can be an entry.
  static Unit Entry(std::uint32_t n) { return UnitOfRecord(n % (kBlocks * kRecordsPerBlock)); }

  Store() { store_.Extend(kBlocks); }

  OwnedMemory memory_{kBlocks};
  SlotStore store_{memory_.address()};
};

TEST_F(Store, IsSmallUntilTheHeadIsFullOrBeingRead) {
  for (std::uint32_t i = 0; i < kChunkLink; ++i) store_.Append(5, Entry(i));
  EXPECT_TRUE(store_.IsSmall(5));
  EXPECT_EQ(store_.SmallCount(5), kChunkLink);
  store_.Append(5, Entry(0));
  EXPECT_FALSE(store_.IsSmall(5));
  store_.Append(6, Entry(0));
  store_.Append(6, Entry(1));
  store_.Pop(6);
  EXPECT_FALSE(store_.IsSmall(6));
  store_.Pop(6);
  EXPECT_TRUE(store_.IsSmall(6));
}

TEST_F(Store, UsesEveryChunkOfEveryBlockOnce) {
  ChunkPool pool;
  pool.Extend(kBlocks);
  const Memory memory(memory_.address());
  std::set<std::uint32_t> taken;
  for (std::uint32_t i = 0; i < pool.capacity(); ++i) {
    const std::uint32_t chunk = pool.Take(memory);
    ASSERT_EQ(chunk % kChunkWords, 0U);
    ASSERT_TRUE(taken.insert(chunk).second);
    const std::uint32_t in_block = (chunk - kFirstBlockWord) % kBlockWords;
    ASSERT_GE(in_block, kStackWord + kChunksPerBlock) << "over the records or the stack of free chunks";
    ASSERT_LE(in_block + kChunkWords, kBlockWords) << "over the end of the block";
    ASSERT_LE(chunk + kChunkWords, kFirstBlockWord + kBlocks * kBlockWords);
  }
  EXPECT_EQ(pool.in_use(), pool.capacity());
  for (const std::uint32_t chunk : taken) pool.Give(memory, chunk);
  EXPECT_EQ(pool.in_use(), 0U);
  std::set<std::uint32_t> again;
  while (again.size() < taken.size()) ASSERT_TRUE(again.insert(pool.Take(memory)).second);
  EXPECT_EQ(again, taken);
}

}  // namespace
}  // namespace timeout_wheel
