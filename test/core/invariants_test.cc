#include "core/testing/invariants.h"

#include <string>

#include "harness.h"

namespace timeout_wheel {
namespace {

// A wheel with one timer, which is due at 700, and access to break it.
struct Breakable {
  Breakable() : unit(harness.Schedule(700)) { harness.Take(); }

  std::string Broken() { return BrokenInvariant(harness.wheel(), harness.submitter().used()); }
  Record& record() { return harness.record(unit); }
  std::uint32_t& word(std::uint32_t word) { return harness.memory().word(word); }
  SlotStore& store() { return const_cast<SlotStore&>(harness.wheel().store()); }
  Unit& entry() { return store().SmallEntries(512 + 2)[0]; }
  void Submit(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) harness.memory().submission(i) = unit;
    word(kSubmitted) = count;
  }

  Harness harness;
  Unit unit;
};

constexpr struct {
  const char* fault;
  void (*make)(Breakable&);
} kFaults[] = {
    {"a live timer has no entry", [](Breakable& wheel) { wheel.record().filed = kNone; }},
    {"a record is filed where it has no entry", [](Breakable& wheel) { wheel.record().filed = 256; }},
    {"a timer is filed after its deadline", [](Breakable& wheel) { wheel.record().deadline = 300; }},
    {"a record is marked, but not submitted", [](Breakable& wheel) { wheel.record().filed = kQueued; }},
    {"a sweep left its mark", [](Breakable& wheel) { wheel.record().filed = kSeen; }},
    {"the wake-up is too late", [](Breakable& wheel) { wheel.word(kWake) = 701; }},
    {"nothing is armed", [](Breakable& wheel) { wheel.word(kArmed) = 0; }},
    {"an entry is no record", [](Breakable& wheel) { ++wheel.entry(); }},
    {"an entry lies before the records", [](Breakable& wheel) { wheel.entry() = kFirstUnit - 1; }},
    {"an entry lies between two blocks", [](Breakable& wheel) { wheel.entry() = kFirstUnit + kRecordsPerBlock; }},
    {"a record was submitted twice",
     [](Breakable& wheel) {
       wheel.record().filed = kQueued;
       wheel.Submit(2);
     }},
    {"a submitted record is not marked", [](Breakable& wheel) { wheel.Submit(1); }},
    {"a sweep left survivors", [](Breakable& wheel) { wheel.store().Append(SlotStore::kSwept, wheel.unit); }},
    {"an occupancy bit is missing", [](Breakable& wheel) { wheel.store().Append(3, wheel.unit); }},
    {"more chunks are used than there are",
     [](Breakable& wheel) {
       for (std::uint32_t i = 0; i < 100; ++i) wheel.store().Append(SlotStore::kDue, wheel.unit);
       EXPECT_EQ(wheel.Broken(), "");
       wheel.store().Extend(0);
     }},
};

// Most tests depend on the checker, so the checker must find each broken invariant.
TEST(Invariants, BreakWithEachFault) {
  for (const auto& [fault, make] : kFaults) {
    Breakable wheel;
    EXPECT_EQ(wheel.Broken(), "");
    make(wheel);
    EXPECT_NE(wheel.Broken(), "") << fault;
  }
}

}  // namespace
}  // namespace timeout_wheel
