#include "harness.h"

namespace timeout_wheel {
namespace {

// More timers than the search for the next expiry looks at. So their entries stay until the wheel reaches their slot.
TEST(StaleEntries, AreDroppedWhenTheirSlotIsReached) {
  for (const Tick deadline : {100U, 600U, 100000U, 20000000U}) {
    Harness harness;
    Units units = harness.ScheduleMany(200, deadline);
    const Units shortened = harness.ScheduleMany(200, deadline);
    harness.Take();
    for (const Unit unit : units) harness.submitter().Cancel(unit);
    for (const Unit unit : shortened) harness.submitter().Reschedule(unit, 50);
    harness.Take();
    EXPECT_EQ(harness.entries(), 600U) << "cancelling costs one store: the entries are still there";
    EXPECT_EQ(harness.RunAt(50), shortened);
    EXPECT_EQ(harness.RunTo(deadline), Units{});
    EXPECT_EQ(harness.entries(), 0U);
    EXPECT_EQ(harness.chunks(), 0U);
    Add(units, shortened);
    for (const Unit unit : units) EXPECT_EQ(harness.record(unit).filed, kNone);
  }
}

}  // namespace
}  // namespace timeout_wheel
