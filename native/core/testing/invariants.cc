#include "invariants.h"

#include <string>
#include <unordered_set>

namespace timeout_wheel {

class InvariantChecker {
 public:
  InvariantChecker(const TimerWheel& wheel, std::uint32_t used) : wheel_(wheel), used_(used) {}

  std::string Check() {
    for (std::uint32_t i = 0; i < memory().word(kQueued); ++i) {
      queued_.insert(memory().word(kQueueUnitsWord + i));
    }
    for (SlotNumber slot = 0; slot < kSlots; ++slot) CheckSlot(slot);
    for (std::uint32_t level = 0; level < kLevels; ++level) CheckLevel(level);
    for (const auto& set : wheel_.batch_.sets_) {
      for (const Chain& bucket : set) Walk(bucket, [&](Unit unit) { CheckUnit(unit), batch_.insert(unit); });
    }
    Expect(entries_ == wheel_.store_.entries(), "entries counted", wheel_.store_.entries(), "found", entries_);
    Expect(chunks_ == wheel_.store_.chunks_in_use(), "chunks in use", wheel_.store_.chunks_in_use(), "found", chunks_);
    for (std::uint32_t n = 0; n < used_; ++n) CheckRecord(UnitOfRecord(n));
    return broken_;
  }

 private:
  Memory memory() const { return wheel_.store_.memory(); }

  template <class... Parts>
  void Expect(bool holds, const Parts&... parts) {
    if (holds || !broken_.empty()) return;
    ((broken_ += Text(parts) + " "), ...);
  }
  static std::string Text(const char* text) { return text; }
  template <class Number>
  static std::string Text(Number number) {
    return std::to_string(number);
  }

  void CheckUnit(Unit unit) {
    const bool was_used = wheel_.IsRecord(unit) && unit != 0 && used_ > 0 && unit <= UnitOfRecord(used_ - 1);
    Expect(was_used, "an entry names", unit, "which was not handed out");
  }

  template <class Visit>
  void Walk(const Chain& chain, const Visit& visit) {
    if (chain.empty()) return Expect(chain.front == 0 && chain.cursor == 0, "an empty chain kept a chunk");
    ++chunks_;
    for (std::uint32_t at = chain.front; at != chain.cursor; ++at) {
      if ((at & kChunkLink) == kChunkLink) {
        at = memory().word(at);
        ++chunks_;
      }
      ++entries_;
      visit(memory().word(at));
    }
  }

  void CheckLevel(std::uint32_t level) {
    const bool occupied = (levels_ >> level & 1) != 0;
    Expect(wheel_.occupied_.HasLevel(level) == occupied, "the bit of level", level, "is not", occupied);
  }

  void CheckSlot(SlotNumber slot) {
    const Slot& checked = wheel_.slots_[slot];
    const bool occupied = wheel_.occupied_.Test(slot);
    Expect(occupied == !checked.chain.empty(), "slot", slot, "occupancy bit", occupied, "disagrees");
    if (!occupied) return;
    levels_ |= 1U << LevelOf(slot);
    Expect(slot >= SlotOn(LevelOf(slot), wheel_.tick_), "slot", slot, "lies before the tick", wheel_.tick_);
    const Tick start = StartOf(slot, wheel_.tick_);
    Expect(start >= wheel_.first_start_, "slot", slot, "starts at", start, "before", wheel_.first_start_);
    const bool in_order = LevelOf(slot) == 0 && wheel_.newest_[slot] != TimerWheel::kDisordered;
    std::uint64_t last = 0;
    Walk(checked.chain, [&](Unit unit) {
      CheckUnit(unit);
      const Record& entry = memory().record(unit);
      if (entry.filed() != slot + 1) return;
      found_.insert(unit);
      Expect(!in_order || entry.sequence() > last, "slot", slot, "is not in order at unit", unit);
      Expect(!in_order || entry.sequence() <= wheel_.newest_[slot], "unit", unit, "is newer than slot", slot);
      last = entry.sequence();
      // The due time of a queued unit can be that of an ended timer.
      if (!wheel_.IsLive(unit) || queued_.contains(unit)) return;
      const Tick tick = wheel_.FilingTick(entry.due);
      Expect(tick >= start, "slot", slot, "starts at", start, "after the due time", entry.due, "of unit", unit);
      const bool belongs = tick - start < CoveredBy(slot);
      if (LevelOf(slot) == 0) {
        Expect(!belongs || entry.due <= checked.bound, "unit", unit, "due", entry.due, "after the bound",
               checked.bound);
      } else {
        Expect(entry.due >= checked.bound, "unit", unit, "due", entry.due, "before the bound", checked.bound);
      }
      Expect(memory().word(kUnfinished) != 0 || wheel_.TickOf(wheel_.wake_) <= tick, "unit", unit, "due", entry.due,
             "before the wake-up", wheel_.wake_);
    });
  }

  void CheckRecord(Unit unit) {
    const std::uint32_t filed = memory().record(unit).filed();
    const bool live = wheel_.IsLive(unit);
    const bool expired = (memory().state(unit) & kExpiredBit) != 0;
    Expect(filed != kSeen, "unit", unit, "kept the mark of a sweep");
    if (filed == kNone) {
      Expect(!live || expired || queued_.contains(unit) || memory().record(unit).due == TimerWheel::kNever, "unit",
             unit, "is lost");
    } else {
      const bool in_batch = filed == SlotOn(0, wheel_.tick_) + 1 && batch_.contains(unit);
      Expect(in_batch || found_.contains(unit), "unit", unit, "is filed in", filed - 1, "and not there");
    }
  }

  const TimerWheel& wheel_;
  std::uint32_t used_;
  std::uint32_t entries_ = 0;
  std::uint32_t chunks_ = 0;
  /// The levels with an occupied slot, a bit for each.
  std::uint32_t levels_ = 0;
  std::unordered_set<Unit> found_;
  std::unordered_set<Unit> batch_;
  std::unordered_set<Unit> queued_;
  std::string broken_;
};

std::string BrokenInvariant(const TimerWheel& wheel, std::uint32_t used) {
  return InvariantChecker(wheel, used).Check();
}

}  // namespace timeout_wheel
