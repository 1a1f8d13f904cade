#include "core/testing/invariants.h"

#include "harness.h"

namespace timeout_wheel {
namespace {

// The checker is what most tests lean on: it has to see what it is there for.
class Invariants : public testing::Test {
 protected:
  Invariants() : unit_(harness_.Schedule(700)) { harness_.Take(); }

  std::string Broken() { return BrokenInvariant(harness_.wheel(), harness_.submitter().used()); }
  Record& record() { return harness_.record(unit_); }
  // Behind the wheel's back.
  SlotStore& store() { return const_cast<SlotStore&>(harness_.wheel().store()); }

  Harness harness_;
  Unit unit_;
};

TEST_F(Invariants, HoldForAWheelInUse) { EXPECT_EQ(Broken(), ""); }

TEST_F(Invariants, BreakWhereALiveTimerHasNoEntry) {
  record().filed = kNone;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereARecordIsFiledWhereItHasNoEntry) {
  record().filed = 256;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereATimerIsFiledAfterItsDeadline) {
  record().deadline = 300;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereARecordIsMarkedButNotSubmitted) {
  record().filed = kQueued;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereASweepLeftItsMark) {
  record().filed = kSeen;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereTheWakeUpIsTooLate) {
  harness_.memory().word(kWake) = 701;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereNothingIsArmed) {
  harness_.memory().word(kArmed) = 0;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereAnEntryIsNoRecord) {
  store().SmallEntries(512 + 2)[0] = unit_ + 1;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereAnEntryLiesBeforeTheRecords) {
  store().SmallEntries(512 + 2)[0] = kFirstUnit - 1;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereAnEntryLiesBetweenTheRecordsOfTwoBlocks) {
  store().SmallEntries(512 + 2)[0] = kFirstUnit + kRecordsPerBlock;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereARecordWasSubmittedTwice) {
  record().filed = kQueued;
  for (std::uint32_t i = 0; i < 2; ++i) harness_.memory().submission(i) = unit_;
  harness_.memory().word(kSubmitted) = 2;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereASubmittedRecordIsNotMarked) {
  harness_.memory().submission(0) = unit_;
  harness_.memory().word(kSubmitted) = 1;
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereSurvivorsOfASweepWereLeftBehind) {
  store().Append(SlotStore::kSwept, unit_);
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereMoreChunksAreUsedThanThereAre) {
  for (std::uint32_t i = 0; i < 100; ++i) store().Append(SlotStore::kDue, unit_);
  ASSERT_EQ(Broken(), "");
  store().Extend(0);
  EXPECT_NE(Broken(), "");
}

TEST_F(Invariants, BreakWhereAnOccupancyBitIsMissing) {
  store().Append(3, unit_);
  EXPECT_NE(Broken(), "");
}

}  // namespace
}  // namespace timeout_wheel
