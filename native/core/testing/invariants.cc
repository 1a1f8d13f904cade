#include "invariants.h"

#include <string>
#include <unordered_set>

namespace timeout_wheel {

class InvariantChecker {
 public:
  InvariantChecker(const TimerWheel& wheel, std::uint32_t used) : wheel_(wheel), used_(used) {}

  std::string Check() {
    CheckLevel<TimerWheel::Level0>();
    CheckLevel<TimerWheel::Level1>();
    CheckLevel<TimerWheel::Level2>();
    CheckLevel<TimerWheel::Level3>();
    CountChain(SlotStore::kDue, [&](Unit unit) { CheckUnit(unit, SlotStore::kDue), awaited_.insert(unit); });
    Expect(wheel_.store_.Empty(SlotStore::kSwept), "survivors of a sweep were left behind");
    Expect(entries_ == wheel_.store_.entries(), "entries counted", wheel_.store_.entries(), "found", entries_);
    Expect(chunks_ == wheel_.store_.pool().in_use(), "chunks in use", wheel_.store_.pool().in_use(), "found", chunks_);
    Expect(chunks_ <= wheel_.store_.pool().capacity(), "more chunks than there are", chunks_);
    CheckQueues();
    for (std::uint32_t n = 0; n < used_; ++n) CheckRecord(UnitOfRecord(n));
    return broken_;
  }

 private:
  const Memory& memory() const { return wheel_.store_.memory(); }

  template <class... Parts>
  void Expect(bool holds, const Parts&... parts) {
    if (holds || !broken_.empty()) return;
    ((broken_ += Text(parts) + " "), ...);
  }
  static std::string Text(const char* text) { return text; }
  static std::string Text(std::uint32_t number) { return std::to_string(number); }

  void CheckUnit(Unit unit, std::uint32_t slot) {
    const bool valid =
        unit >= kFirstUnit && (unit - kFirstUnit) % kUnitsPerBlock < kRecordsPerBlock &&
        (unit - kFirstUnit) / kUnitsPerBlock * kRecordsPerBlock + (unit - kFirstUnit) % kUnitsPerBlock < used_;
    Expect(valid, "slot", slot, "holds", unit, "which is no record");
  }

  template <class Visit>
  void CountChain(std::uint32_t slot, const Visit& visit) {
    const Chain& chain = wheel_.store_.chain(slot);
    if (chain.front >= kFirstBlockWord) ++chunks_;
    for (std::uint32_t at = chain.front; at != chain.cursor; ++at) {
      if ((at & kChunkLink) == kChunkLink) {
        at = memory().word(at);
        ++chunks_;
      }
      ++entries_;
      visit(memory().word(at));
    }
  }

  template <class L>
  void CheckLevel() {
    for (std::uint32_t slot = L::kFirstSlot; slot < L::kFirstSlot + L::kSlotCount; ++slot) {
      const Tick start = L::StartOfSlot(slot, wheel_.tick_);
      const bool occupied = wheel_.occupied_.Test(slot);
      Expect(occupied == !wheel_.store_.Empty(slot), "slot", slot, "occupancy bit", occupied, "disagrees");
      CountChain(slot, [&](Unit unit) {
        CheckUnit(unit, slot);
        const Record& entry = memory().record(unit);
        if (entry.filed == start) found_.insert(unit);
        const bool early = entry.filed == start && entry.deadline != kNever && Before(entry.deadline, start) &&
                           !Before(entry.deadline, wheel_.tick_);
        Expect(!early, "slot", slot, "starts at", start, "after the deadline", entry.deadline, "of record", unit);
      });
    }
  }

  void CheckQueues() {
    for (std::uint32_t i = 0; i < memory().word(kSubmitted); ++i) {
      const Unit unit = memory().submission(i);
      Expect(memory().record(unit).filed == kQueued, "submitted record", unit, "is not marked");
      Expect(queued_.insert(unit).second, "record", unit, "was submitted twice");
    }
    for (std::uint32_t i = 0; i < memory().word(kExpired); ++i) awaited_.insert(memory().expiration(i));
  }

  void CheckRecord(Unit unit) {
    const Record& entry = memory().record(unit);
    Expect(entry.filed != kSeen, "record", unit, "kept the mark of a sweep");
    if (entry.filed == kQueued) return Expect(queued_.contains(unit), "record", unit, "is lost: marked, not submitted");
    const bool live = entry.deadline != kNever;
    if (entry.filed == kNone) {
      return Expect(!live || awaited_.contains(unit), "record", unit, "is lost: due", entry.deadline, "has no entry");
    }
    Expect(found_.contains(unit), "record", unit, "filed at", entry.filed, "has no entry there");
    if (!live) return;
    Expect(!Before(entry.deadline, entry.filed) || Before(entry.deadline, wheel_.tick_), "record", unit, "due",
           entry.deadline, "is filed later, at", entry.filed);
    Expect(memory().word(kArmed) == 1 && !Before(entry.deadline, wheel_.tick_)
               ? !Before(entry.deadline, memory().word(kWake))
               : true,
           "record", unit, "due", entry.deadline, "before the wake-up at", memory().word(kWake));
    Expect(memory().word(kArmed) == 1, "record", unit, "is filed, and nothing is armed");
  }

  const TimerWheel& wheel_;
  std::uint32_t used_;
  std::uint32_t entries_ = 0;
  std::uint32_t chunks_ = 0;
  std::unordered_set<Unit> found_;
  std::unordered_set<Unit> queued_;
  std::unordered_set<Unit> awaited_;
  std::string broken_;
};

std::string BrokenInvariant(const TimerWheel& wheel, std::uint32_t used) {
  return InvariantChecker(wheel, used).Check();
}

}  // namespace timeout_wheel
