#include "timer_wheel.h"

#include <algorithm>

namespace timeout_wheel {

TimerWheel::TimerWheel(void* address, std::uint32_t blocks, double ticks_per_ms)
    : store_(address), ticks_per_ms_(ticks_per_ms) {
  Extend(blocks);
  BeginTurn();
}

void TimerWheel::Extend(std::uint32_t blocks) {
  blocks_ = blocks;
  entry_limit_ = blocks * kRecordsPerBlock * 2;
}

Tick TimerWheel::TickOf(double due) const {
  const double tick = due * ticks_per_ms_;
  return tick < static_cast<double>(kLastTick) ? static_cast<Tick>(tick) : kLastTick;
}

void TimerWheel::Begin() {
  if (control(kBusy) != 0) Rebuild();
  memory().set_flag(kBusy, 1);
}

// Files all live units again, those that were handed over and have not run included.
void TimerWheel::Rebuild() {
  memory().set_flag(kBusy, 1);
  store_.Clear();
  occupied_ = {};
  for (Slot& slot : slots_) slot.chain = {};
  swept_ = {};
  batch_.Clear();
  phase_ = Phase::kSeek;
  wake_changed_ = true;
  control(kExpired) = 0;
  control(kUnfinished) = 0;
  // The due time of a unit in the queue can be that of a former timer. It waits for its operation.
  for (std::uint32_t i = 0; i < Queued(); ++i) {
    const Unit unit = memory().word(kQueueUnitsWord + i);
    if (IsRecord(unit)) record(unit).due = kNever;
  }
  const std::uint32_t used = std::min(control(kUsed), blocks_ * kRecordsPerBlock - 1);
  // From the first due timer on, so that the overdue ones run in order.
  for (std::uint32_t n = 0; n < used; ++n) {
    if (IsLive(UnitOfRecord(n))) tick_ = std::min(tick_, TickOf(record(UnitOfRecord(n)).due));
  }
  for (std::uint32_t n = 0; n < used; ++n) {
    const Unit unit = UnitOfRecord(n);
    record(unit).set_filed(kNone);
    memory().state(unit) &= ~kExpiredBit;
    if (IsLive(unit) && record(unit).due < kNever) File(unit, record(unit));
  }
}

void TimerWheel::BeginTurn() {
  pace_.BeginTurn();
  control(kQueueLimit) = pace_.limit();
}

void TimerWheel::Apply(double now) {
  Begin();
  ApplyQueue(now);
  End();
}

// The due time of a queued time. The sum of two doubles can be rounded down. Then the timer would be early, so its due
// time is the next double. The difference to the larger one is exact.
static double DueOf(double time, double now) {
  if (time < 0) return -time;
  const double due = now + time;
  const bool is_early = due - now < time || due - time < now;
  const auto bits = __builtin_bit_cast(std::uint64_t, due) + (is_early ? 1 : 0);
  return due > 0 ? __builtin_bit_cast(double, bits) : 0;  // It can be no number.
}

void TimerWheel::ApplyQueue(double now) {
  const std::uint32_t count = Queued();
  if (count == 0) return;
  // Forward as far as no slot starts, so that records are filed on the lowest level.
  if (phase_ == Phase::kSeek) tick_ = std::max(tick_, std::min(TickOf(now), first_start_));
  const Unit unit = memory().word(kQueueUnitsWord);
  if (kIsSmall || count > 1) {
    ApplyRow(count, now);
  } else if (IsRecord(unit)) {  // A single operation is frequent, and needs no preparations for a row.
    const double due = DueOf(memory().real(kQueueDelaysWord), now);
    const SlotNumber slot = SlotFor(FilingTick(due), tick_);
    if (Set(unit, record(unit), due, slot, ++sequence_)) Bound(slot, due);
  }
  pace_.Applied(count, now);
  control(kQueueLimit) = pace_.limit();
  // Last: if the call is interrupted before, the next one applies all of them again, a little later.
  memory().set_flag(kQueued, 0);
}

void TimerWheel::ApplyRow(std::uint32_t count, double now) {
  // Copies, which stay in registers. A member would be read again after each store into a record.
  const Memory shared = memory();
  Record* const records = &shared.record(0);
  const Unit* const units = &shared.word(kQueueUnitsWord);
  std::uint64_t sequence = sequence_;
  // With timers at random, each operation waits for a line of memory. The first one waits anyway.
  for (std::size_t i = 1; i < count; ++i) Memory::PrefetchLine(records + units[i]);
  // Most times are equal to the one before, and so are the due time and its slot. This is no time:
  double time = std::numeric_limits<double>::quiet_NaN();
  double due = 0;
  SlotNumber slot = 0;
  bool is_bounded = false;
  for (std::size_t i = 0; i < count; ++i) {
    const Unit unit = units[i];
    if (!IsRecord(unit)) continue;
    if (const double next = shared.real(kQueueDelaysWord + 2 * i); next != time) {
      time = next;
      due = DueOf(time, now);
      slot = SlotFor(FilingTick(due), tick_);
      is_bounded = false;
    }
    if (Set(unit, records[unit], due, slot, ++sequence) && !is_bounded) {
      // The next ones have the same due time.
      Bound(slot, due);
      is_bounded = true;
    }
  }
  sequence_ = sequence;
}

// Gives a record its due time. Returns whether its entry is in the right slot, whose bound may move then.
inline bool TimerWheel::Set(Unit unit, Record& set, double due, SlotNumber slot, std::uint64_t sequence) {
  set.due = due;
  set.set_sequence(sequence);
  const SlotNumber kept = set.filed() - 1;
  // The entry is too old for the new number. If the record is filed elsewhere, it could come back to this slot, and
  // would then have two entries in it.
  Disorder(kept);
  // Of two slots, the one with the greater number starts later. So an entry in a slot before the right one is early
  // enough. A record without an entry has the greatest number.
  if (kept > slot) [[unlikely]]
    Refile(unit, set);
  return kept == slot;
}

// Files a record that has no entry, or has it in a slot that starts too late.
void TimerWheel::Refile(Unit unit, Record& set) {
  // The timer was cancelled meanwhile. If its unit was taken again, the new operation follows in this same queue. Asked
  // only here, because the state is another cache line.
  if (!IsLive(unit)) return;
  if (store_.entries() >= entry_limit_) Sweep();
  File(unit, set);
}

void TimerWheel::File(Unit unit, Record& filed) {
  const SlotNumber slot = SlotFor(FilingTick(filed.due), tick_);
  filed.set_filed(slot + 1);
  wake_changed_ = true;
  store_.Append(slots_[slot].chain, unit);
  if (!occupied_.Test(slot)) {
    occupied_.Set(slot);
    first_start_ = std::min(first_start_, StartOf(slot, tick_));
    slots_[slot].bound = filed.due;
    if (slot < kSlotsPerLevel) newest_[slot] = 0;
  }
  Bound(slot, filed.due);
  if (slot >= kSlotsPerLevel) return;
  newest_[slot] = filed.sequence() > newest_[slot] ? filed.sequence() : kDisordered;
}

void TimerWheel::Bound(SlotNumber slot, double due) {
  double& bound = slots_[slot].bound;
  if (LevelOf(slot) == 0 ? due > bound : due < bound) {
    bound = due;
    wake_changed_ = true;
  }
  wake_ = std::min(wake_, bound);
}

// Whether an entry of a slot is valid and the record belongs there. Drops or files all others.
bool TimerWheel::Keep(Unit unit, SlotNumber slot) {
  Record& entry = record(unit);
  if (entry.filed() != slot + 1) return false;
  if (!IsLive(unit)) {
    entry.set_filed(kNone);
    return false;
  }
  if (FilingTick(entry.due) - StartOf(slot, tick_) < CoveredBy(slot)) return true;
  File(unit, entry);
  return false;
}

std::uint32_t TimerWheel::Expire(double now) {
  Begin();
  ApplyQueue(now);
  memory().set_real(kPassBegan, now);
  target_ = now;
  return Go();
}

std::uint32_t TimerWheel::Resume(double now) {
  Begin();
  // A timer of the batch that was set again meanwhile must not be handed over.
  ApplyQueue(now);
  return Go();
}

std::uint32_t TimerWheel::Go() {
  control(kExpired) = 0;
  work_ = kWorkPerCall;
  control(kUnfinished) = Run() ? 0 : 1;
  wake_changed_ = true;
  End();
  return control(kExpired);
}

// Goes from one occupied slot to the next. Returns false if it stopped at a bound.
bool TimerWheel::Run() {
  // The tick of the wheel can be later, if the pass is for an earlier time than the queue was applied at.
  const Tick last = FilingTick(target_);
  for (;;) {
    if (!RunBatch()) return false;
    // The slots of the other levels that hold tick_ move down, the highest first.
    for (std::uint32_t level = kLevels - 1; level > 0; --level) {
      if (occupied_.HasLevel(level) && !MoveDown(SlotOn(level, tick_))) return false;
    }
    const SlotNumber slot = occupied_.First(SlotOn(0, tick_));
    if (slot != OccupiedSlots::kNoSlot) {
      const Tick tick = StartOf(slot, tick_);
      // The present tick waits until the last of its timers is due.
      if (tick > last || (tick == last && slots_[slot].bound > target_)) break;
      tick_ = tick;
      reached_ = sequence_;
      batch_.Begin(slots_[slot].chain, newest_[slot] != kDisordered);
      phase_ = Phase::kSort;
      slots_[slot].chain = {};
      occupied_.Reset(slot);
      continue;
    }
    FindFirstStart();
    if (first_start_ > last) break;
    tick_ = first_start_;
  }
  tick_ = last;
  return true;
}

// Sorts and hands over the timers of the tick. Returns false if it stopped at a bound.
bool TimerWheel::RunBatch() {
  if (phase_ == Phase::kSort) {
    if (!batch_.Sort(store_, work_)) return false;
    phase_ = Phase::kHandOver;
  }
  if (phase_ == Phase::kHandOver) {
    if (!HandOver()) return false;
    phase_ = Phase::kSeek;
  }
  return true;
}

bool TimerWheel::HandOver() {
  const std::uint32_t present = SlotOn(0, tick_) + 1;
  // A unit with an entry in the batch may also have one in the slot, whose timer was set and ended since the last part.
  // The entry in the batch makes it filed nowhere. If the unit is then filed in the slot again, it has two there.
  newest_[present - 1] = kDisordered;
  std::uint32_t expired = control(kExpired);
  std::uint32_t room = kExpirationsPerCall - expired;
  const bool emptied = batch_.TakeAll(store_, room, [&](Unit unit) {
    Record& due = record(unit);
    if (due.filed() != present) return;
    due.set_filed(kNone);
    if (!IsLive(unit)) return;
    // It was moved, and kept its entry. If the pass had come to the tick before, it is not in the batch, even if it
    // stays in the tick.
    if (FilingTick(due.due) > tick_ || due.sequence() > reached_) return File(unit, due);
    memory().state(unit) |= kExpiredBit;
    memory().word(kExpirationsWord + expired++) = unit;
  });
  control(kExpired) = expired;
  return emptied;
}

bool TimerWheel::MoveDown(SlotNumber slot) {
  const bool emptied = store_.TakeAll(slots_[slot].chain, work_, [&](Unit unit) {
    if (Keep(unit, slot)) File(unit, record(unit));
  });
  if (emptied) occupied_.Reset(slot);
  return emptied;
}

void TimerWheel::FindFirstStart() {
  first_start_ = std::numeric_limits<Tick>::max();
  for (std::uint32_t level = 0; occupied_.HasLevelFrom(level); ++level) {
    if (!occupied_.HasLevel(level)) continue;
    first_start_ = std::min(first_start_, StartOf(occupied_.FirstOf(SlotOn(level, tick_)), tick_));
  }
}

double TimerWheel::FindWake() {
  if (!wake_changed_ && control(kBusy) == 0) return wake_;
  Begin();
  wake_changed_ = false;
  wake_ = kNever;
  prunes_ = kPrunesPerWake;
  for (std::uint32_t level = 0; occupied_.HasLevelFrom(level); ++level) {
    while (occupied_.HasLevel(level)) {
      const SlotNumber slot = occupied_.FirstOf(SlotOn(level, tick_));
      if (level == 0 ? PruneFront(slot) : PruneSmall(slot)) {
        wake_ = std::min(wake_, slots_[slot].bound);
        break;
      }
      occupied_.Reset(slot);
    }
  }
  FindFirstStart();
  if (control(kUnfinished) != 0) wake_ = 0;
  memory().set_real(kWake, wake_);
  End();
  return wake_;
}

// Drops the first entries of a slot of level 0 that are not valid. Returns whether entries are left.
bool TimerWheel::PruneFront(SlotNumber slot) {
  Chain& chain = slots_[slot].chain;
  while (!chain.empty()) {
    if (prunes_ == 0 || Keep(store_.Front(chain), slot)) return true;
    --prunes_;
    store_.Pop(chain);
  }
  return false;
}

// Drops the entries of a small slot that are not valid, and finds its earliest due time. Returns whether any are left.
bool TimerWheel::PruneSmall(SlotNumber slot) {
  Chain& chain = slots_[slot].chain;
  const std::uint32_t count = store_.SmallCount(chain);
  if (count == 0 || count > prunes_) return true;
  prunes_ -= count;
  double earliest = kNever;
  store_.Filter(chain, [&](Unit unit) {
    if (!Keep(unit, slot)) return false;
    earliest = std::min(earliest, record(unit).due);
    return true;
  });
  slots_[slot].bound = earliest;
  return !chain.empty();
}

// Drops all entries that are not valid. Called when shortened due times have left twice as many entries as there are
// records. At most one entry of a record survives. A sweep is O(entries), and about as many operations come between two
// sweeps, so its cost is amortised O(1). Only operations add entries, and Refile checks the limit before each.
void TimerWheel::Sweep() {
  const std::uint32_t present = SlotOn(0, tick_) + 1;
  batch_.ForEachChain([&](Chain& chain) { SweepChain(chain, present); });
  for (SlotNumber slot = 0; slot < kSlots; ++slot) {
    if (!occupied_.Test(slot)) continue;
    SweepChain(slots_[slot].chain, slot + 1);
    EndSweep(slots_[slot].chain, slot + 1);
    if (slots_[slot].chain.empty()) occupied_.Reset(slot);
  }
  // Not before, so that a record has no second entry in the slot of the tick.
  batch_.ForEachChain([&](Chain& chain) { EndSweep(chain, present); });
}

// Drops the entries of a chain that are not valid, and marks the records of the others until EndSweep.
void TimerWheel::SweepChain(Chain& chain, std::uint32_t filed) {
  swept_ = chain;
  chain = {};
  std::uint32_t all = UINT32_MAX;
  store_.TakeAll(swept_, all, [&](Unit unit) {
    Record& entry = record(unit);
    if (entry.filed() != filed) return;
    entry.set_filed(IsLive(unit) ? kSeen : kNone);
    if (IsLive(unit)) store_.Append(chain, unit);
  });
}

void TimerWheel::EndSweep(const Chain& chain, std::uint32_t filed) {
  store_.ForEach(chain, [&](Unit unit) { record(unit).set_filed(filed); });
}

}  // namespace timeout_wheel
