#include "timer_wheel.h"

#include <algorithm>
#include <cmath>

namespace timeout_wheel {

TimerWheel::TimerWheel(void* address, std::uint32_t blocks) : store_(address) { Extend(blocks); }

void TimerWheel::Extend(std::uint32_t blocks) {
  blocks_ = blocks;
  store_.Extend(blocks);
  entry_limit_ = blocks * kRecordsPerBlock * 2;
}

bool TimerWheel::IsRecord(Unit unit) const {
  return unit - kFirstUnit < blocks_ * kUnitsPerBlock && unit % kUnitsPerBlock < kRecordsPerBlock;
}

// ---- interruptions --------------------------------------------------------------------------------------------------

void TimerWheel::Begin() {
  // A count from the client is not trusted. A count that is too large comes from an interrupted submission.
  if (control(kBusy) != 0 || control(kSubmitted) > kSubmissionsCapacity) Rebuild();
  memory().set_flag(kBusy, 1);
}

void TimerWheel::Rebuild() {
  memory().set_flag(kBusy, 1);
  store_.Clear();
  occupied_.Clear();
  gathering_ = false;
  last_emitted_ = 0;
  control(kSubmitted) = 0;
  control(kExpired) = 0;
  control(kUnfinished) = 0;
  // For the entries filed below, the time within a tick is unknown. They count as a whole tick.
  due_within_tick_.EndSubmissions();
  const std::uint32_t used = std::min(control(kUsed), blocks_ * kRecordsPerBlock);
  // Timers that were expired and not dispatched become due at their own ticks again, so that the next Advance to the
  // same target expires them in the order of deadlines.
  for (std::uint32_t n = 0; n < used; ++n) {
    Record& entry = record(UnitOfRecord(n));
    entry.filed = kNone;
    if (entry.deadline != kNever && Before(entry.deadline, tick_)) tick_ = entry.deadline;
  }
  for (std::uint32_t n = 0; n < used; ++n) {
    if (record(UnitOfRecord(n)).deadline != kNever) File(UnitOfRecord(n));
  }
  FindNextExpiry();
}

// ---- the clock ------------------------------------------------------------------------------------------------------

// A delay has a number of whole ticks, at least one, and a fraction. Returns the tick from which the whole ticks count:
// the first tick at which the fraction has passed since `now`. A delay below one tick has a negative fraction. Its
// deadline is a future tick all the same.
static double FirstTick(double now, double fraction) {
  const double whole = std::floor(now);
  return whole + std::max(std::ceil(now - whole + fraction), 0.0);
}

void TimerWheel::OpenEpoch(double now) {
  CloseEpoch(now);
  const double ceil = std::ceil(now);
  const bool keeps_notes = KeepsNotes(memory().real(kClosed));
  memory().set_real(kNow, now);
  memory().set_real(kLeastSlack, ceil - now);
  if (!kOptimizeForSize && control(kSubmitted) == 0) memory().set_real(kSince, now);
  control(kNowCeil) = static_cast<Tick>(static_cast<std::uint64_t>(ceil));
  for (std::uint32_t i = 0; !keeps_notes && i < kEpochLength; ++i) memory().word(kTouched + i) = 0;
  control(kEpochEnd) = control(kOrder) + kEpochLength;
}

// Whether the process was stopped for weeks in an epoch that was closed at `closed`. Then the client needs the notes
// once more: see lib/node/scheduler/after-stop.ts. Pages do not, so lib/memory/wasm-core.ts keeps the notes for
// WebAssembly.
bool TimerWheel::KeepsNotes(double closed) const {
  return !kOptimizeForSize && closed - memory().real(kNow) > kFarthest;
}

void TimerWheel::CloseEpoch(double now) {
  if (control(kEpochEnd) == 0) return;
  // For WebAssembly, lib/memory/wasm-core.ts does this in JavaScript, because pages load the module and defer nothing.
  if (!kOptimizeForSize && control(kDeferred) != 0) CommitDeferred();
  const double slack = memory().real(kLeastSlack);
  if (now - memory().real(kNow) > slack) MoveTouched(now);
  // If each operation reads the clock, all operations come before its last reading.
  memory().set_real(kClosed, !kOptimizeForSize && std::isinf(slack) ? memory().real(kNow) : now);
  control(kEpochEnd) = 0;
}

// Does for each deferred note what Submitter::SetDeadline does at once. If the record was touched again since, freed,
// or given to another timer, its order number is later or it has no deadline. Then the note is dropped.
void TimerWheel::CommitDeferred() {
  const std::uint32_t begin = control(kEpochEnd) - kEpochLength;
  for (std::uint32_t i = 0; i < kEpochLength; ++i) {
    std::uint32_t& note = memory().word(kTouched + i);
    const Unit unit = note - kDeferredNote;
    if (!IsRecord(unit)) continue;
    note = unit;
    Record& touched = record(unit);
    if (touched.deadline == kNever || touched.order >= begin + i) continue;
    if (control(kSubmitted) >= kSubmissionsCapacity) TakeSubmissions();
    const Tick deadline = ValidTick(control(kNowCeil) + memory().word(kDelays + i));
    touched.deadline = deadline;
    touched.order = begin + i;
    const bool has_entry =
        touched.filed != kNone && Before(touched.filed, deadline) && !Before(deadline, control(kWake));
    if (has_entry || touched.filed == kQueued) continue;
    touched.filed = kQueued;
    memory().submission(control(kSubmitted)++) = unit;
  }
  control(kDeferred) = 0;
}

// Each note is cleared together with its move, so that an interrupted call and its successor move each deadline once.
void TimerWheel::MoveTouched(double now) {
  const double opened = memory().real(kNow);
  const std::uint32_t begin = control(kEpochEnd) - kEpochLength;
  for (std::uint32_t i = 0; i < kEpochLength; ++i) {
    const std::uint32_t note = memory().word(kTouched + i);
    const bool has_fraction = static_cast<std::int32_t>(note) < 0;
    const Unit unit = has_fraction ? ~note : note;
    // Each operation has its own number. A different number means that the record was touched again since.
    if (!IsRecord(unit) || record(unit).order != begin + i || record(unit).deadline == kNever) continue;
    Record& touched = record(unit);
    const double fraction = has_fraction ? memory().real(kFraction + 2 * i) : 0;
    // The same sums as in the next operation, equal to the last bit: for some clock values a sum rounds up or down.
    const double moved = FirstTick(now, fraction) - FirstTick(opened, fraction);
    touched.deadline = ValidTick(touched.deadline + static_cast<Tick>(static_cast<std::uint64_t>(moved)));
    if (!KeepsNotes(now)) memory().word(kTouched + i) = 0;
  }
}

// ---- filing ---------------------------------------------------------------------------------------------------------

Tick TimerWheel::DueTick(const Record& record) const {
  return Before(record.deadline, tick_) ? ValidTick(tick_) : record.deadline;
}

template <class L>
std::uint32_t TimerWheel::Put(Tick due, Unit unit) {
  return PutIn(L::kSlotCount, L::kFirstSlot, L::kShift, due, unit);
}

std::uint32_t TimerWheel::PutIn(std::uint32_t count, std::uint32_t first, std::uint32_t shift, Tick due, Unit unit) {
  const std::uint32_t slot = first + ((due >> shift) & (count - 1));
  if (!kOptimizeForSize && first == Level0::kFirstSlot) due_within_tick_.Add(slot, !occupied_.Test(slot));
  record(unit).filed = due >> shift << shift;
  occupied_.Set(slot);
  store_.Append(slot, unit);
  return slot;
}

// Files a record in the lowest level that reaches its deadline. Exception: if the slot of the level above that covers
// the deadline still holds entries, the record joins them, so that entries stay in the order of filing. Returns the
// slot.
std::uint32_t TimerWheel::File(Unit unit) {
  const Tick due = DueTick(record(unit));
  const std::uint32_t windows = ((due >> Level1::kShift) - (tick_ >> Level1::kShift)) & 0xffffff;
  if (windows <= 1 && !Occupied<Level1>(due)) return Put<Level0>(due, unit);
  const std::uint32_t periods = ((due >> Level2::kShift) - (tick_ >> Level2::kShift)) & 0xffff;
  if (periods == 0 || (periods == 1 && !Occupied<Level2>(due))) return Put<Level1>(due, unit);
  const std::uint32_t eras = ((due >> Level3::kShift) - (tick_ >> Level3::kShift)) & 0xff;
  if (eras == 0 || (periods < Level2::kSlotCount && !Occupied<Level3>(due))) return Put<Level2>(due, unit);
  return Put<Level3>(due, unit);
}

void TimerWheel::TakeSubmissions() {
  Begin();
  FileSubmissions();
  End();
}

void TimerWheel::FileSubmissions() {
  constexpr std::uint32_t kPrefetchAhead = 8;
  const std::uint32_t count = control(kSubmitted);
  std::uint32_t slot = 0;
  Tick start = 0;
  std::uint32_t covered = 0;
  // A submission may belong to the batch that is being gathered, and its position there may have changed.
  if (count != 0 && gathering_) ascending_ = false;
  SetSubmissionPart();
  for (std::uint32_t i = 0; i < count; ++i) {
    memory().Prefetch(memory().submission(std::min(i + kPrefetchAhead, count - 1)));
    const Unit unit = memory().submission(i);
    if (!IsRecord(unit)) continue;
    Record& submitted = record(unit);
    if (submitted.deadline == kNever) {
      submitted.filed = kNone;
      continue;
    }
    if (store_.entries() >= entry_limit_) Sweep();
    const Tick due = DueTick(submitted);
    WakeBy(due);
    // Submissions often come in rows of one delay. Then the slot is the one of the submission before.
    if (due - start < covered) {
      submitted.filed = start;
      store_.Append(slot, unit);
    } else {
      slot = File(unit);
      start = submitted.filed;
      // In levels 2 and 3 this covers only the first part of the slot: such deadlines are rare and come in no rows.
      covered = slot < Level1::kFirstSlot ? Level0::kCovered : Level1::kCovered;
    }
  }
  control(kSubmitted) = 0;
  due_within_tick_.EndSubmissions();
}

void TimerWheel::SetSubmissionPart() {
  if (kOptimizeForSize) return;
  const double since = memory().real(kSince);
  // While an epoch is open, the times of its operations are unknown. They count as a whole tick.
  const bool closed = control(kEpochEnd) == 0;
  due_within_tick_.BeginSubmissions(since, memory().real(kClosed), closed && control(kInexact) == 0);
  if (!closed) memory().set_real(kSince, memory().real(kNow));
  control(kInexact) = 0;
}

double TimerWheel::DueWithinWakeTick() const {
  const Tick wake = control(kWake);
  const std::uint32_t windows = (wake >> Level1::kShift) - (tick_ >> Level1::kShift);
  // Entries of the levels above may still move down to this tick.
  const bool known = control(kUnfinished) == 0 && windows <= 1 && Occupied<Level0>(wake) && !Occupied<Level1>(wake) &&
                     !Occupied<Level2>(wake) && !Occupied<Level3>(wake);
  return known ? due_within_tick_.Of(Level0::SlotOf(wake)) : kWholeTick;
}

bool TimerWheel::IsTickDue() {
  TakeSubmissions();
  const double now = memory().real(kNow);
  const double tick = std::floor(now);
  // Ticks before this one must be empty: a timer found there may have been postponed to this tick.
  const bool is_next =
      control(kArmed) != 0 && control(kWake) == static_cast<Tick>(static_cast<std::uint64_t>(tick)) + 1;
  return is_next && DueWithinWakeTick() <= now - tick;
}

// ---- expiring -------------------------------------------------------------------------------------------------------

std::uint32_t TimerWheel::Advance(Tick target) {
  Begin();
  FileSubmissions();
  control(kExpired) = 0;
  work_ = kWorkPerAdvance;
  bool finished = (!gathering_ && store_.Empty(SlotStore::kDue)) || ExpireTick();
  while (finished && !Before(target, tick_)) {
    const std::uint32_t ahead = TicksToNextSlot();
    if (ahead > target - tick_) {
      tick_ = target + 1;
      break;
    }
    tick_ += ahead;
    finished = Cascade() && ExpireTick();
  }
  if (finished) MoveDownAhead();
  control(kUnfinished) = finished ? 0 : 1;
  control(kTick) = tick_;
  FindNextExpiry();
  End();
  return control(kExpired);
}

// Ticks to the first occupied slot of any level; UINT32_MAX if no slot is occupied.
std::uint32_t TimerWheel::TicksToNextSlot() const {
  std::uint32_t ahead = TicksToNextSlot<Level0>();
  if (ahead < TicksToWindow()) return ahead;
  ahead = std::min(ahead, TicksToNextSlot<Level1>());
  ahead = std::min(ahead, TicksToNextSlot<Level2>());
  return std::min(ahead, TicksToNextSlot<Level3>());
}

// Whether an entry of the slot that starts at `start` and covers `covered` ticks is valid and due in them. Settles all
// others.
bool TimerWheel::Keep(Unit unit, Tick start, std::uint32_t covered) {
  const Record& entry = record(unit);
  // Settle gives the same answer, more slowly.
  const bool due =
      !kOptimizeForSize && entry.filed == start && entry.deadline != kNever && entry.deadline - start < covered;
  return due || Settle(unit, start, covered);
}

// Drops a stale or cancelled entry, and files a postponed record again. Returns true if the entry is valid and due
// within the `covered` ticks from `start` after all.
bool TimerWheel::Settle(Unit unit, Tick start, std::uint32_t covered) {
  Record& entry = record(unit);
  if (entry.filed != start) return false;
  if (entry.deadline == kNever) {
    entry.filed = kNone;
    return false;
  }
  const Tick due = DueTick(entry);
  if (due - start < covered) return true;
  WakeBy(due);
  File(unit);
  return false;
}

// Moves the slots that hold tick_ down to level 0, one level at a time. Returns false if it reached the bound of work.
bool TimerWheel::Cascade() {
  return MoveDown<Level3, Level2>(Level3::StartOf(tick_)) && MoveDown<Level2, Level1>(Level2::StartOf(tick_)) &&
         MoveDown<Level1, Level0>(Level1::StartOf(tick_));
}

template <class Upper, class Lower>
bool TimerWheel::MoveDown(Tick start) {
  return MoveSlotDown(Upper::SlotOf(start), start, Upper::kCovered, Lower::kSlotCount, Lower::kFirstSlot,
                      Lower::kShift);
}

bool TimerWheel::MoveSlotDown(std::uint32_t slot, Tick start, std::uint32_t covered, std::uint32_t count,
                              std::uint32_t first, std::uint32_t shift) {
  if (!occupied_.Test(slot)) return true;
  const bool emptied = store_.TakeAll(slot, work_, [&](Unit unit) {
    if (covered == Level0::kCovered) {
      if (Gather(unit)) store_.Append(SlotStore::kDue, unit);
    } else if (Keep(unit, start, covered)) {
      PutIn(count, first, shift, DueTick(record(unit)), unit);
    }
  });
  if (emptied) occupied_.Reset(slot);
  return emptied;
}

// Moves the next large slots down a part at a time, so that no tick has to move a whole one.
void TimerWheel::MoveDownAhead() {
  work_ = std::min(work_, kAheadPerAdvance);
  const Tick window = Level1::StartOf(tick_ + Level1::kCovered);
  const Tick period = Level2::StartOf(tick_ + Level2::kCovered);
  if (Occupied<Level1>(window) && !store_.IsSmall(Level1::SlotOf(window))) {
    MoveDown<Level1, Level0>(window);
  }
  if (Occupied<Level2>(period) && !store_.IsSmall(Level2::SlotOf(period))) {
    MoveDown<Level2, Level1>(period);
  }
}

// Expires all of tick_. Returns false if it stopped at a limit; then it must be called again.
bool TimerWheel::ExpireTick() {
  if (!gathering_ && store_.Empty(SlotStore::kDue)) {
    if (!Occupied<Level0>(tick_)) return true;
    ascending_ = true;
    last_order_ = 0;
    if (!kOptimizeForSize && GatherDirect()) return true;
    gathering_ = true;
  }
  // Records were filed for this tick while its batch was being handed over. Sort the rest of the batch again.
  if (!gathering_ && Occupied<Level0>(tick_)) {
    gathering_ = true;
    ascending_ = false;
  }
  if (gathering_ && !GatherRest()) return false;
  return EmitDue();
}

// The fast path of the usual case: the whole batch fits into the expirations. If it does not fit, it is parked in the
// kDue chain, because its order is known only after all of it has been seen.
bool TimerWheel::GatherDirect() {
  const std::uint32_t slot = Level0::SlotOf(tick_);
  const std::uint32_t begin = control(kExpired);
  std::uint32_t end = begin;
  std::uint32_t work = std::min(work_, kExpirationsCapacity - begin);
  work_ -= work;
  const bool emptied = store_.TakeAll(slot, work, [&](Unit unit) {
    if (Gather(unit)) memory().expiration(end++) = unit;
  });
  work_ += work;
  if (emptied) {
    occupied_.Reset(slot);
    if (!ascending_) SortExpirations(begin, end);
    control(kExpired) = end;
    return true;
  }
  for (std::uint32_t i = begin; i < end; ++i) store_.Append(SlotStore::kDue, memory().expiration(i));
  return false;
}

// Whether an entry of the tick's slot is due. Finds whether the due entries are in order.
bool TimerWheel::Gather(Unit unit) {
  if (!Keep(unit, tick_, 1)) return false;
  Record& due = record(unit);
  due.filed = kNone;
  ascending_ = ascending_ && due.order >= last_order_;
  last_order_ = due.order;
  return true;
}

bool TimerWheel::GatherRest() {
  // Level 0 has no level below. Due entries go into the kDue chain.
  if (!MoveSlotDown(Level0::SlotOf(tick_), tick_, Level0::kCovered, 0, 0, 0)) return false;
  if (!ascending_) store_.SortDue();
  gathering_ = false;
  return true;
}

bool TimerWheel::EmitDue() {
  std::uint32_t end = control(kExpired);
  while (!store_.Empty(SlotStore::kDue) && end != kExpirationsCapacity) {
    const Unit unit = store_.Pop(SlotStore::kDue);
    // A record that was set again while it was parked has been filed again. If it was gathered again too, it is here
    // twice, side by side, because both entries have the same order number.
    const Record& due = record(unit);
    const bool is_again = unit == last_emitted_ && due.order == last_emitted_order_;
    if (due.filed != kNone || is_again) continue;
    last_emitted_ = unit;
    last_emitted_order_ = due.order;
    memory().expiration(end++) = unit;
  }
  if (store_.Empty(SlotStore::kDue)) last_emitted_ = 0;
  control(kExpired) = end;
  return store_.Empty(SlotStore::kDue);
}

// A bottom-up merge sort by order number. It skips two halves that are in order already.
void TimerWheel::SortExpirations(std::uint32_t begin, std::uint32_t end) {
  // The submissions have been taken, so their space is free. Half of a full batch fits into it.
  static_assert(kSubmissionsCapacity * 2 >= kExpirationsCapacity);
  const auto scratch = [this](std::uint32_t i) -> std::uint32_t& { return memory().submission(i); };
  const auto order = [this](std::uint32_t i) { return record(memory().expiration(i)).order; };
  for (std::uint32_t width = 1; width < end - begin; width *= 2) {
    for (std::uint32_t left = begin; left + width < end; left += 2 * width) {
      const std::uint32_t middle = left + width;
      const std::uint32_t right = std::min(middle + width, end);
      if (order(middle - 1) <= order(middle)) continue;
      for (std::uint32_t i = 0; i < width; ++i) scratch(i) = memory().expiration(left + i);
      std::uint32_t a = 0;
      std::uint32_t b = middle;
      for (std::uint32_t to = left; a < width; ++to) {
        const bool take_b = b < right && order(b) < record(scratch(a)).order;
        memory().expiration(to) = take_b ? memory().expiration(b++) : scratch(a++);
      }
    }
  }
}

// ---- sweeping -------------------------------------------------------------------------------------------------------

// Drops all stale and cancelled entries. Called when shortened deadlines have left twice as many entries as there are
// records. At most one entry per record survives in the slots, besides parked ones; kSeen marks records that the sweep
// has met. A sweep is O(entries), and about as many submissions come between two sweeps, so its cost is amortised O(1).
// Only TakeSubmissions adds entries, and it checks the limit before each.
void TimerWheel::Sweep() {
  SweepLevel<Level0>();
  SweepLevel<Level1>();
  SweepLevel<Level2>();
  SweepLevel<Level3>();
}

template <class L>
void TimerWheel::SweepLevel() {
  SweepSlots(L::kSlotCount, L::kFirstSlot, L::kShift);
}

void TimerWheel::SweepSlots(std::uint32_t count, std::uint32_t first, std::uint32_t shift) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const Tick now = tick_ >> shift;
    SweepSlot(first + i, (now + ((i - now) & (count - 1))) << shift);
    if (store_.Empty(first + i)) occupied_.Reset(first + i);
  }
}

void TimerWheel::SweepSlot(std::uint32_t slot, Tick start) {
  while (!store_.Empty(slot)) {
    const Unit unit = store_.Pop(slot);
    Record& entry = record(unit);
    if (entry.filed != start) continue;
    // The mark identifies a second entry of the record in this slot.
    entry.filed = entry.deadline == kNever ? kNone : kSeen;
    if (entry.filed == kSeen) store_.Append(SlotStore::kSwept, unit);
  }
  while (!store_.Empty(SlotStore::kSwept)) {
    const Unit unit = store_.Pop(SlotStore::kSwept);
    record(unit).filed = start;
    store_.Append(slot, unit);
  }
}

// ---- the next expiry ------------------------------------------------------------------------------------------------
//
// After each Advance, if level 0 has a valid entry before the end of the current window, the tick of the first one is
// the next expiry. Otherwise it is the earliest of the first slots of the other levels. Without pruning, connections
// that are rescheduled on each request would wake the process at every slot in which they had an entry. So the search
// prunes up to 64 slots. Between two calls of Advance, submissions only lower kWake.

void TimerWheel::WakeBy(Tick tick) {
  if (control(kArmed) == 0 || Before(tick, control(kWake))) control(kWake) = tick;
  control(kArmed) = 1;
}

void TimerWheel::FindNextExpiry() {
  control(kArmed) = 0;
  if (control(kUnfinished) != 0) return WakeBy(tick_);
  prunes_ = kPrunesPerWake;
  if (WakeForTick()) return;
  WakeForLevel<Level3>();
  WakeForLevel<Level2>();
  WakeForLevel<Level1>();
}

// Lowers kWake to the first tick of level 0 that has a valid entry. Returns whether no other level can have an earlier
// one.
bool TimerWheel::WakeForTick() {
  for (;;) {
    const std::uint32_t ahead = TicksToNextSlot<Level0>();
    if (ahead == UINT32_MAX) return false;
    const Tick tick = tick_ + ahead;
    const std::uint32_t slot = Level0::SlotOf(tick);
    while (prunes_ != 0 && !Keep(store_.Front(slot), tick, 1)) {
      --prunes_;
      store_.Pop(slot);
      if (store_.Empty(slot)) break;
    }
    if (!store_.Empty(slot)) {
      WakeBy(tick);
      return ahead < TicksToWindow();
    }
    occupied_.Reset(slot);
  }
}

// Lowers kWake to the earliest deadline in the level's first slot, or to the slot's start if it holds too many entries.
// The search drops cancelled and postponed entries, so that the driver is not woken for nothing.
template <class L>
void TimerWheel::WakeForLevel() {
  WakeForSlots(L::kSlotCount, L::kFirstSlot, L::kShift);
}

void TimerWheel::WakeForSlots(std::uint32_t count, std::uint32_t first, std::uint32_t shift) {
  for (;;) {
    const std::uint32_t ahead = TicksToNextSlotIn(occupied_, count, first, shift, tick_);
    if (ahead == UINT32_MAX) return;
    const Tick start = tick_ + ahead;
    const std::uint32_t slot = first + ((start >> shift) & (count - 1));
    if (!store_.IsSmall(slot) || prunes_ == 0) return WakeBy(start);
    --prunes_;
    Prune(slot, start, std::uint32_t{1} << shift);
    if (!store_.Empty(slot)) return;
    occupied_.Reset(slot);
  }
}

void TimerWheel::Prune(std::uint32_t slot, Tick start, std::uint32_t covered) {
  std::uint32_t* entries = store_.SmallEntries(slot);
  const std::uint32_t count = store_.SmallCount(slot);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Unit unit = entries[i];
    if (!Keep(unit, start, covered)) continue;
    WakeBy(DueTick(record(unit)));
    entries[kept++] = unit;
  }
  store_.TruncateSmall(slot, kept);
}

}  // namespace timeout_wheel
