#include "timer_wheel.h"

#include <algorithm>
#include <cmath>

namespace timeout_wheel {

TimerWheel::TimerWheel(void* address, std::uint32_t blocks) : store_(address) {
  Extend(blocks);
  Clear(0);
}

void TimerWheel::Extend(std::uint32_t blocks) {
  store_.Extend(blocks);
  entry_limit_ = blocks * kRecordsPerBlock * 2;
}

void TimerWheel::Clear(Tick tick) {
  store_.Clear();
  level0_.occupied.Clear();
  level1_.occupied.Clear();
  level2_.occupied.Clear();
  level3_.occupied.Clear();
  tick_ = tick;
  gathering_ = false;
  last_emitted_ = 0;
  control(kSubmitted) = 0;
  control(kExpired) = 0;
  control(kUnfinished) = 0;
  control(kTick) = tick;
  control(kEpochEnd) = 0;
  Arm();
}

// ---- the clock ------------------------------------------------------------------------------------------------------

// The first tick at which the fraction of a delay has passed since `now`. Of a delay below a tick, whose fraction is
// given less 1, it is a tick to come.
static double FirstTick(double now, double fraction) {
  if (fraction >= 0) return std::ceil(now + fraction);
  return std::max(std::ceil(now + (fraction + 1)), std::floor(now) + 1);
}

void TimerWheel::OpenEpoch(double now) {
  CloseEpoch(now);
  const double ceil = std::ceil(now);
  memory().set_real(kNow, now);
  memory().set_real(kLeastSlack, ceil - now);
  control(kNowCeil) = static_cast<Tick>(static_cast<std::uint64_t>(ceil));
  for (std::uint32_t i = 0; i < kEpochLength; ++i) memory().word(kTouched + i) = 0;
  control(kEpochEnd) = control(kOrder) + kEpochLength;
}

void TimerWheel::CloseEpoch(double now) {
  if (control(kEpochEnd) == 0) return;
  const std::uint32_t begin = control(kEpochEnd) - kEpochLength;
  control(kEpochEnd) = 0;
  memory().set_real(kClosed, now);
  const double opened = memory().real(kNow);
  const double passed = now - opened;
  if (passed <= memory().real(kLeastSlack)) return;

  for (std::uint32_t i = 0; i < kEpochLength; ++i) {
    const std::uint32_t note = memory().word(kTouched + i);
    if (note == 0) continue;
    const bool has_fraction = static_cast<std::int32_t>(note) < 0;
    Record& touched = record(has_fraction ? ~note : note);
    // Each operation has its own number: another one means that the record was touched again since.
    if (touched.order != begin + i || touched.deadline == kNever) continue;
    const double fraction = has_fraction ? memory().real(kFraction + 2 * i) : 0;
    // As an operation that follows has it, to the last bit: clocks have values that a sum rounds up or down.
    const double moved = FirstTick(now, fraction) - FirstTick(opened, fraction);
    touched.deadline = ValidTick(touched.deadline + static_cast<std::uint32_t>(moved));
  }
}

// ---- filing ---------------------------------------------------------------------------------------------------------

Tick TimerWheel::DueTick(const Record& record) const {
  return Before(record.deadline, tick_) ? ValidTick(tick_) : record.deadline;
}

template <class L>
std::uint32_t TimerWheel::Put(L& level, Tick due, Unit unit) {
  return PutIn(level.occupied.words(), L::kSlotCount, L::kFirstSlot, L::kShift, due, unit);
}

std::uint32_t TimerWheel::PutIn(std::uint64_t* occupied, std::uint32_t count, std::uint32_t first, std::uint32_t shift,
                                Tick due, Unit unit) {
  const std::uint32_t slot = (due >> shift) & (count - 1);
  record(unit).filed = due >> shift << shift;
  occupied[slot / 64] |= std::uint64_t{1} << (slot % 64);
  store_.Append(first + slot, unit);
  return first + slot;
}

// The lowest level that reaches the deadline; but while the slot above it still holds entries for that span, behind
// these, so that entries stay in the order of filing. Returns the slot.
std::uint32_t TimerWheel::File(Unit unit) {
  const Tick due = DueTick(record(unit));
  const std::uint32_t windows = ((due >> Level1::kShift) - (tick_ >> Level1::kShift)) & 0xffffff;
  if (windows <= 1 && !level1_.Occupied(due)) return Put(level0_, due, unit);
  const std::uint32_t periods = ((due >> Level2::kShift) - (tick_ >> Level2::kShift)) & 0xffff;
  if (periods == 0 || (periods == 1 && !level2_.Occupied(due))) return Put(level1_, due, unit);
  const std::uint32_t eras = ((due >> Level3::kShift) - (tick_ >> Level3::kShift)) & 0xff;
  if (eras == 0 || (periods < Level2::kSlotCount && !level3_.Occupied(due))) return Put(level2_, due, unit);
  return Put(level3_, due, unit);
}

void TimerWheel::TakeSubmissions() {
  constexpr std::uint32_t kPrefetchAhead = 8;
  const std::uint32_t count = control(kSubmitted);
  std::uint32_t slot = 0;
  Tick start = 0;
  std::uint32_t span = 0;
  // One of them may belong into the batch that is being gathered, at another place than when it was met there.
  if (count != 0 && gathering_) ascending_ = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    memory().Prefetch(memory().submission(std::min(i + kPrefetchAhead, count - 1)));
    const Unit unit = memory().submission(i);
    Record& submitted = record(unit);
    if (submitted.deadline == kNever) {
      submitted.filed = kNone;
      continue;
    }
    if (store_.entries() >= entry_limit_) Sweep();
    const Tick due = DueTick(submitted);
    WakeBy(due);
    // Most come in rows of one delay, and so belong into the slot of the one before.
    if (due - start < span) {
      submitted.filed = start;
      store_.Append(slot, unit);
    } else {
      slot = File(unit);
      start = submitted.filed;
      // Of the slots of levels 2 and 3 only the first part: what is due there comes rarely, and in no rows.
      span = slot < Level1::kFirstSlot ? Level0::kSpan : Level1::kSpan;
    }
  }
  control(kSubmitted) = 0;
}

// ---- expiring -------------------------------------------------------------------------------------------------------

std::uint32_t TimerWheel::Advance(Tick target) {
  TakeSubmissions();
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
  Arm();
  return control(kExpired);
}

// How far the first occupied slot of any level lies ahead; UINT32_MAX where none is occupied.
std::uint32_t TimerWheel::TicksToNextSlot() const {
  std::uint32_t ahead = level0_.TicksToNextSlot(tick_);
  if (ahead < TicksToWindow()) return ahead;
  const auto look = [&](const auto& level) { ahead = std::min(ahead, level.TicksToNextSlot(tick_)); };
  look(level1_);
  look(level2_);
  look(level3_);
  return ahead;
}

// Whether an entry of the slot that starts at `start` is valid and due within the slot's span. Settles all others.
bool TimerWheel::Keep(Unit unit, Tick start, std::uint32_t span) {
  const Record& entry = record(unit);
  const bool due = entry.filed == start && entry.deadline != kNever && entry.deadline - start < span;
  return due || Settle(unit, start, span);
}

bool TimerWheel::Settle(Unit unit, Tick start, std::uint32_t span) {
  Record& entry = record(unit);
  if (entry.filed != start) return false;
  if (entry.deadline == kNever) {
    entry.filed = kNone;
    return false;
  }
  const Tick due = DueTick(entry);
  if (due - start < span) return true;
  WakeBy(due);
  File(unit);
  return false;
}

// Moves the slots that hold tick_ down to level 0, one level at a time. False: the bound of work was reached.
bool TimerWheel::Cascade() {
  return MoveDown(level3_, level2_, Level3::StartOf(tick_), work_) &&
         MoveDown(level2_, level1_, Level2::StartOf(tick_), work_) &&
         MoveDown(level1_, level0_, Level1::StartOf(tick_), work_);
}

template <class Upper, class Lower>
bool TimerWheel::MoveDown(Upper& upper, Lower& lower, Tick start, std::uint32_t& work) {
  if (!upper.Occupied(start)) return true;
  const std::uint32_t slot = Upper::SlotOf(start);
  const bool emptied = MoveSlotDown(slot, start, Upper::kSpan, lower.occupied.words(), Lower::kSlotCount,
                                    Lower::kFirstSlot, Lower::kShift, work);
  if (emptied) upper.Unmark(slot);
  return emptied;
}

bool TimerWheel::MoveSlotDown(std::uint32_t slot, Tick start, std::uint32_t span, std::uint64_t* occupied,
                              std::uint32_t count, std::uint32_t first, std::uint32_t shift, std::uint32_t& work) {
  return store_.Drain(slot, work, [&](Unit unit) {
    if (Keep(unit, start, span)) PutIn(occupied, count, first, shift, DueTick(record(unit)), unit);
  });
}

// Large slots that come next are moved down a part at a time, so that no tick has to move them whole.
void TimerWheel::MoveDownAhead() {
  std::uint32_t work = std::min(work_, kAheadPerAdvance);
  const Tick window = Level1::StartOf(tick_ + Level1::kSpan);
  const Tick period = Level2::StartOf(tick_ + Level2::kSpan);
  if (level1_.Occupied(window) && !store_.IsSmall(Level1::SlotOf(window))) {
    MoveDown(level1_, level0_, window, work);
  }
  if (level2_.Occupied(period) && !store_.IsSmall(Level2::SlotOf(period))) {
    MoveDown(level2_, level1_, period, work);
  }
}

// Expires all of tick_. False: stopped at a limit, to be called again.
bool TimerWheel::ExpireTick() {
  if (!gathering_ && store_.Empty(SlotStore::kDue)) {
    if (!level0_.Occupied(tick_) || GatherDirect()) return true;
  }
  // Filed for this tick while its batch was being handed over: the rest of the batch is put in order anew.
  if (!gathering_ && level0_.Occupied(tick_)) {
    gathering_ = true;
    ascending_ = false;
  }
  if (gathering_ && !GatherRest()) return false;
  return EmitDue();
}

// The usual case: the whole batch fits into the expirations. Where it does not, it is parked in the kDue chain, since
// its order is known only when all of it has been seen.
bool TimerWheel::GatherDirect() {
  const std::uint32_t slot = Level0::SlotOf(tick_);
  const std::uint32_t begin = control(kExpired);
  std::uint32_t end = begin;
  std::uint32_t work = std::min(work_, kExpirationsCapacity - begin);
  work_ -= work;
  ascending_ = true;
  last_order_ = 0;
  const bool emptied = store_.Drain(slot, work, [&](Unit unit) {
    if (Gather(unit)) memory().expiration(end++) = unit;
  });
  work_ += work;
  if (emptied) {
    level0_.Unmark(slot);
    if (!ascending_) SortExpirations(begin, end);
    control(kExpired) = end;
    return true;
  }
  for (std::uint32_t i = begin; i < end; ++i) store_.Append(SlotStore::kDue, memory().expiration(i));
  gathering_ = true;
  return false;
}

// Whether an entry of the tick's slot is due. Notes whether those that are stand in order.
bool TimerWheel::Gather(Unit unit) {
  if (!Keep(unit, tick_, 1)) return false;
  Record& due = record(unit);
  due.filed = kNone;
  ascending_ = ascending_ && due.order >= last_order_;
  last_order_ = due.order;
  return true;
}

bool TimerWheel::GatherRest() {
  const std::uint32_t slot = Level0::SlotOf(tick_);
  const bool emptied = store_.Drain(slot, work_, [&](Unit unit) {
    if (Gather(unit)) store_.Append(SlotStore::kDue, unit);
  });
  if (!emptied) return false;
  level0_.Unmark(slot);
  if (!ascending_) store_.SortDue();
  gathering_ = false;
  return true;
}

bool TimerWheel::EmitDue() {
  std::uint32_t end = control(kExpired);
  while (!store_.Empty(SlotStore::kDue) && end != kExpirationsCapacity) {
    const Unit unit = store_.Pop(SlotStore::kDue);
    // What was set anew while it stood here has been filed anew. Where it was gathered again it stands here twice, side
    // by side, as its order number is the same.
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

// A bottom-up merge sort by order number. Halves that follow each other already are left as they are.
void TimerWheel::SortExpirations(std::uint32_t begin, std::uint32_t end) {
  // The submissions have been taken; half of a full batch fits into their place.
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

// Deadlines that were shortened have left as many stale entries as there are records: drop them all. What survives is
// at most one entry per record.
void TimerWheel::Sweep() {
  SweepLevel(level0_);
  SweepLevel(level1_);
  SweepLevel(level2_);
  SweepLevel(level3_);
}

template <class L>
void TimerWheel::SweepLevel(L& level) {
  SweepSlots(level.occupied.words(), L::kSlotCount, L::kFirstSlot, L::kShift);
}

void TimerWheel::SweepSlots(std::uint64_t* occupied, std::uint32_t count, std::uint32_t first, std::uint32_t shift) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (store_.Empty(first + i)) continue;
    const Tick now = tick_ >> shift;
    SweepSlot(first + i, (now + ((i - now) & (count - 1))) << shift);
    if (store_.Empty(first + i)) occupied[i / 64] &= ~(std::uint64_t{1} << (i % 64));
  }
}

void TimerWheel::SweepSlot(std::uint32_t slot, Tick start) {
  while (!store_.Empty(slot)) {
    const Unit unit = store_.Pop(slot);
    Record& entry = record(unit);
    if (entry.filed != start) continue;
    // Marked, so that a second entry of the record in this slot is seen to be one.
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

void TimerWheel::WakeBy(Tick tick) {
  if (control(kArmed) == 0 || Before(tick, control(kWake))) control(kWake) = tick;
  control(kArmed) = 1;
}

void TimerWheel::Arm() {
  control(kArmed) = 0;
  if (control(kUnfinished) != 0) return WakeBy(tick_);
  std::uint32_t prunes = kPrunesPerWake;
  if (WakeForTick(prunes)) return;
  WakeForLevel(level3_, prunes);
  WakeForLevel(level2_, prunes);
  WakeForLevel(level1_, prunes);
}

// The first tick of level 0 that has a valid entry. Returns whether no other level can have an earlier one.
bool TimerWheel::WakeForTick(std::uint32_t& prunes) {
  for (;;) {
    const std::uint32_t ahead = level0_.TicksToNextSlot(tick_);
    if (ahead == UINT32_MAX) return false;
    const Tick tick = tick_ + ahead;
    const std::uint32_t slot = Level0::SlotOf(tick);
    while (prunes != 0 && !Keep(store_.Front(slot), tick, 1)) {
      --prunes;
      store_.Pop(slot);
      if (store_.Empty(slot)) break;
    }
    if (!store_.Empty(slot)) {
      WakeBy(tick);
      return ahead < TicksToWindow();
    }
    level0_.Unmark(slot);
  }
}

// The first slot's earliest deadline, or its start where it holds too many to look at. Looking also drops what has been
// cancelled or put off, so that the driver is not woken for nothing.
template <class L>
void TimerWheel::WakeForLevel(L& level, std::uint32_t& prunes) {
  WakeForSlots(level.occupied.words(), L::kSlotCount, L::kFirstSlot, L::kShift, prunes);
}

void TimerWheel::WakeForSlots(std::uint64_t* occupied, std::uint32_t count, std::uint32_t first, std::uint32_t shift,
                              std::uint32_t& prunes) {
  for (;;) {
    const std::uint32_t ahead = timeout_wheel::TicksToNextSlot(occupied, count, shift, tick_);
    if (ahead == UINT32_MAX) return;
    const Tick start = tick_ + ahead;
    const std::uint32_t i = (start >> shift) & (count - 1);
    if (!store_.IsSmall(first + i) || prunes == 0) return WakeBy(start);
    --prunes;
    Prune(first + i, start, std::uint32_t{1} << shift);
    if (!store_.Empty(first + i)) return;
    occupied[i / 64] &= ~(std::uint64_t{1} << (i % 64));
  }
}

void TimerWheel::Prune(std::uint32_t slot, Tick start, std::uint32_t span) {
  std::uint32_t* entries = store_.SmallEntries(slot);
  const std::uint32_t count = store_.SmallCount(slot);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Unit unit = entries[i];
    if (!Keep(unit, start, span)) continue;
    WakeBy(DueTick(record(unit)));
    entries[kept++] = unit;
  }
  store_.TruncateSmall(slot, kept);
}

}  // namespace timeout_wheel
