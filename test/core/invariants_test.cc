#include "core/testing/invariants.h"

#include "harness.h"

namespace timeout_wheel {
namespace {

// Most tests depend on the checker, so the checker must find each broken invariant.
class Invariants : public testing::Test {
 protected:
  Invariants() : unit_(harness_.Schedule(700)) { harness_.Take(); }

  std::string Broken() { return BrokenInvariant(harness_.wheel(), harness_.submitter().used()); }
  Record& record() { return harness_.record(unit_); }
  // Access to break the store without the wheel.
  SlotStore& store() { return const_cast<SlotStore&>(harness_.wheel().store()); }

  Harness harness_;
  Unit unit_;
};

TEST_F(Invariants, HoldForAWheelInUse) { EXPECT_EQ(Broken(), ""); }

TEST_F(Invariants, BreakIfALiveTimerHasNoEntry) {
  record().filed = kNone;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfARecordIsFiledWhereItHasNoEntry) {
  record().filed = 256;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfATimerIsFiledAfterItsDeadline) {
  record().deadline = 300;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfARecordIsMarkedButNotSubmitted) {
  record().filed = kQueued;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfASweepLeftItsMark) {
  record().filed = kSeen;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfTheWakeUpIsTooLate) {
  harness_.memory().word(kWake) = 701;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfNothingIsArmed) {
  harness_.memory().word(kArmed) = 0;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfAnEntryIsNoRecord) {
  store().SmallEntries(512 + 2)[0] = unit_ + 1;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfAnEntryLiesBeforeTheRecords) {
  store().SmallEntries(512 + 2)[0] = kFirstUnit - 1;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfAnEntryLiesBetweenTheRecordsOfTwoBlocks) {
  store().SmallEntries(512 + 2)[0] = kFirstUnit + kRecordsPerBlock;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfARecordWasSubmittedTwice) {
  record().filed = kQueued;
  for (std::uint32_t i = 0; i < 2; ++i) harness_.memory().submission(i) = unit_;
  harness_.memory().word(kSubmitted) = 2;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfASubmittedRecordIsNotMarked) {
  harness_.memory().submission(0) = unit_;
  harness_.memory().word(kSubmitted) = 1;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfSurvivorsOfASweepWereLeftBehind) {
  store().Append(SlotStore::kSwept, unit_);
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfMoreChunksAreUsedThanThereAre) {
  for (std::uint32_t i = 0; i < 100; ++i) store().Append(SlotStore::kDue, unit_);
  ASSERT_EQ(Broken(), "");
  store().Extend(0);
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakIfAnOccupancyBitIsMissing) {
  store().Append(3, unit_);
  EXPECT_NE(Broken(), "");
}

}  // namespace
}  // namespace timeout_wheel
