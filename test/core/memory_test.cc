// How much memory there is, and what a repair keeps. The model test interrupts calls.
#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Memory, HasRoomForTwoEntriesOfEachUnit) {
  Harness wheel;
  wheel.CheckOneIn(UINT32_MAX);
  Units units;
  // Spread over all slots, so that as many chunks as possible are not full.
  double delay = 1;
  while (!wheel.client().full()) {
    units.push_back(wheel.Set(delay));
    delay = delay < 1e15 ? delay * 1.01 + 1 : 1;
  }
  for (int round = 0; round < 10; ++round) {
    for (const Unit unit : units) {
      delay = delay < 1e15 ? delay * 1.02 + 1 : 1;
      wheel.Move(unit, delay);
    }
    wheel.EndTurn();
  }
  wheel.Check();
  EXPECT_LE(wheel.chunks(), kChunksInBase + kChunksPerBlock);
}

TEST(Memory, HasRoomWhileTheTimersOfATickAreMovedAndHandedOver) {
  Harness wheel({.blocks = 2});
  wheel.CheckOneIn(UINT32_MAX);
  Units units(2 * kRecordsPerBlock - 1);
  for (Unit& unit : units) unit = wheel.client().Set(200);
  // Each has two entries in the slot of 200: the wheel files it there again when it reaches the entry at 100.
  for (const Unit unit : units) wheel.client().Move(unit, 100);
  for (const Unit unit : units) wheel.client().Move(unit, 200);
  wheel.RunTo(150);
  wheel.PassTo(200);
  wheel.Begin();
  // Each part of the tick is moved before the next one is gathered.
  std::size_t moved = 0;
  while (wheel.unfinished()) {
    for (int i = 0; i < 16384 && moved < units.size(); ++i) wheel.client().Move(units[moved++], 500);
    wheel.Apply();
    EXPECT_LE(wheel.entries(), 2 * wheel.blocks() * kRecordsPerBlock);
    EXPECT_LE(wheel.chunks(), kChunksInBase + wheel.blocks() * kChunksPerBlock);
    wheel.Dispatch();
    wheel.Begin();
  }
  wheel.Check();
  wheel.Dispatch();
  EXPECT_EQ(wheel.RunTo(701).size(), units.size());
}

TEST(Memory, KeepsTheOrderOfOverdueTimersInARepair) {
  Harness wheel;
  const Unit third = wheel.Set(30);
  const Unit second = wheel.Set(20);
  const Unit first = wheel.Set(10);
  wheel.RunTo(5);
  wheel.Pass(50);
  wheel.Begin();
  wheel.Interrupt();
  EXPECT_EQ(wheel.Run(), (Units{first, second, third}));
}

TEST(Memory, IsRepairedBeforeTheSearchForTheWakeUp) {
  Harness wheel;
  wheel.Set(10);
  wheel.EndTurn();
  wheel.Interrupt();
  EXPECT_EQ(wheel.wheel().FindWake(), 10);
  EXPECT_EQ(wheel.control(kBusy), 0U);
}

TEST(Memory, LetsQueuedUnitsWaitForTheirOperationsInARepair) {
  Harness wheel({.start = 5000});
  const Unit former = wheel.Set(1);
  EXPECT_EQ(wheel.RunTo(5001), Units{former});
  const Unit later = wheel.Set(1);
  wheel.SetMany(7, 1000);
  wheel.Move(later, 100);
  ASSERT_EQ(wheel.control(kQueued), 1U);
  wheel.Interrupt();
  // Not the former due time of the unit.
  EXPECT_EQ(wheel.wheel().FindWake(), 6001);
  EXPECT_EQ(wheel.RunTo(5101), Units{later});
  EXPECT_EQ(wheel.wakes(), 2U);
}

}  // namespace
}  // namespace timeout_wheel
