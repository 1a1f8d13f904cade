// The checks of invariants notice what is wrong.
#include "harness.h"

namespace timeout_wheel {
namespace {

TEST(Invariants, NameTheFirstThatIsBroken) {
  Harness wheel;
  const Unit unit = wheel.Set(5);
  wheel.EndTurn();
  const std::string name = std::to_string(unit);
  const double due = wheel.due(unit);
  wheel.record(unit).due = due - 1;
  EXPECT_EQ(BrokenInvariant(wheel.wheel(), 1),
            "slot 5 starts at 5 after the due time " + std::to_string(due - 1) + " of unit " + name + " ");
  wheel.record(unit).due = due;
  wheel.record(unit).set_filed(kNone);
  EXPECT_EQ(BrokenInvariant(wheel.wheel(), 1), "unit " + name + " is lost ");
  wheel.record(unit).set_filed(7);
  EXPECT_EQ(BrokenInvariant(wheel.wheel(), 1), "unit " + name + " is filed in 6 and not there ");
  EXPECT_EQ(BrokenInvariant(wheel.wheel(), 0), "an entry names " + name + " which was not handed out ");
}

}  // namespace
}  // namespace timeout_wheel
