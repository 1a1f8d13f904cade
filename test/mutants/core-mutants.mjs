/**
 * Faults that a person could write into native/core. Each replaces a text that occurs exactly once in its file. Faults of
 * headers come last, because each of them compiles all tests again.
 *
 * @type {import('./mutant.mjs').Mutant[]}
 */
export const coreMutants = [
  // ---- the clock
  {
    name: 'epoch adjustment missing',
    file: 'native/core/timer_wheel.cc',
    find: '  if (now - memory().real(kNow) > slack) MoveTouched(now);\n',
    replace: '',
  },
  {
    name: 'epoch adjustment rounded down',
    file: 'native/core/timer_wheel.cc',
    find: 'return whole + std::max(std::ceil(now - whole + fraction), 0.0);',
    replace: 'return whole + std::max(std::floor(now - whole + fraction), 0.0);',
  },
  {
    name: 'epoch adjustment of a record that was touched again',
    file: 'native/core/timer_wheel.cc',
    find: 'if (!IsRecord(unit) || record(unit).order != begin + i || record(unit).deadline == kNever) continue;',
    replace: 'if (!IsRecord(unit) || record(unit).deadline == kNever) continue;',
  },
  {
    name: 'epoch adjustment gives a cancelled record a deadline',
    file: 'native/core/timer_wheel.cc',
    find: 'if (!IsRecord(unit) || record(unit).order != begin + i || record(unit).deadline == kNever) continue;',
    replace: 'if (!IsRecord(unit) || record(unit).order != begin + i) continue;',
  },
  {
    name: 'adjusted deadline that stands for a state',
    file: 'native/core/timer_wheel.cc',
    find: 'touched.deadline = ValidTick(touched.deadline + static_cast<std::uint32_t>(moved));',
    replace: 'touched.deadline = touched.deadline + static_cast<std::uint32_t>(moved);',
  },
  {
    name: 'note kept of an adjustment that is done',
    file: 'native/core/timer_wheel.cc',
    find: '    memory().word(kTouched + i) = 0;\n  }\n}',
    replace: '  }\n}',
  },

  // ---- filing
  {
    name: 'growth forgets the entry limit',
    file: 'native/core/timer_wheel.cc',
    find: '  entry_limit_ = blocks * kRecordsPerBlock * 2;',
    replace: '  if (entry_limit_ == 0) entry_limit_ = blocks * kRecordsPerBlock * 2;',
  },
  {
    name: 'clear forgets which slots are occupied',
    file: 'native/core/timer_wheel.cc',
    find: '  occupied_.Clear();\n',
    replace: '',
  },
  {
    name: 'clear forgets that a tick was being gathered',
    file: 'native/core/timer_wheel.cc',
    find: '  gathering_ = false;\n  last_emitted_ = 0;\n',
    replace: '  last_emitted_ = 0;\n',
  },
  {
    name: 'clear files the forgotten timers again',
    file: 'native/core/timer_wheel.cc',
    find: '  control(kUsed) = 0;\n',
    replace: '',
  },
  {
    name: 'interruption of the last call ignored',
    file: 'native/core/timer_wheel.cc',
    find: '  if (control(kBusy) != 0 || control(kSubmitted) > kSubmissionsCapacity) Rebuild();\n',
    replace: '  if (control(kSubmitted) > kSubmissionsCapacity) Rebuild();\n',
  },
  {
    name: 'repair after an interruption leaves out a record',
    file: 'native/core/timer_wheel.cc',
    find: 'if (record(UnitOfRecord(n)).deadline != kNever) File(UnitOfRecord(n));',
    replace: 'if (n != 0 && record(UnitOfRecord(n)).deadline != kNever) File(UnitOfRecord(n));',
  },
  {
    name: 'overdue timers filed in the past',
    file: 'native/core/timer_wheel.cc',
    find: 'return Before(record.deadline, tick_) ? ValidTick(tick_) : record.deadline;',
    replace: 'return record.deadline;',
  },
  {
    name: 'overdue timers filed at a tick that stands for a state',
    file: 'native/core/timer_wheel.cc',
    find: 'return Before(record.deadline, tick_) ? ValidTick(tick_) : record.deadline;',
    replace: 'return Before(record.deadline, tick_) ? tick_ : record.deadline;',
  },
  {
    name: 'forgotten occupancy bit',
    file: 'native/core/timer_wheel.cc',
    find: '  occupied_.Set(slot);\n',
    replace: '',
  },
  {
    name: 'level 0 reaches a window too far',
    file: 'native/core/timer_wheel.cc',
    find: 'if (windows <= 1 && !Occupied<Level1>(due))',
    replace: 'if (windows <= 2 && !Occupied<Level1>(due))',
  },
  {
    name: 'level 2 reaches a slot too far',
    file: 'native/core/timer_wheel.cc',
    find: '(periods < Level2::kSlotCount && ',
    replace: '(periods <= Level2::kSlotCount && ',
  },
  {
    name: 'timers overtake those that wait a level above',
    file: 'native/core/timer_wheel.cc',
    find: 'if (windows <= 1 && !Occupied<Level1>(due))',
    replace: 'if (windows <= 1)',
  },
  {
    name: 'cancelled submission stays marked',
    file: 'native/core/timer_wheel.cc',
    find: '      submitted.filed = kNone;\n      continue;',
    replace: '      continue;',
  },
  {
    name: 'submission does not bring the wake-up forward',
    file: 'native/core/timer_wheel.cc',
    find: '    const Tick due = DueTick(submitted);\n    WakeBy(due);\n',
    replace: '    const Tick due = DueTick(submitted);\n',
  },

  // ---- advancing
  {
    name: 'advance stops a tick short',
    file: 'native/core/timer_wheel.cc',
    find: 'tick_ = target + 1;',
    replace: 'tick_ = target;',
  },
  {
    name: 'advance skips the slot at its target',
    file: 'native/core/timer_wheel.cc',
    find: 'if (ahead > target - tick_) {',
    replace: 'if (ahead >= target - tick_) {',
  },
  {
    name: 'advance compares ticks without the wrap',
    file: 'native/core/timer_wheel.cc',
    find: 'while (finished && !Before(target, tick_)) {',
    replace: 'while (finished && tick_ <= target) {',
  },
  {
    name: 'advance forgets the top level',
    file: 'native/core/timer_wheel.cc',
    find: 'return std::min(ahead, TicksToNextSlot<Level3>());',
    replace: 'return ahead;',
  },
  {
    name: 'advance takes a tick of the next window for the next slot',
    file: 'native/core/timer_wheel.cc',
    find: 'if (ahead < TicksToWindow()) return ahead;',
    replace: 'if (ahead < Level1::kSpan) return ahead;',
  },
  {
    name: 'stale entry taken as valid',
    file: 'native/core/timer_wheel.cc',
    find: '  if (entry.filed != start) return false;\n',
    replace: '',
  },
  {
    name: 'cancelled record still named as filed',
    file: 'native/core/timer_wheel.cc',
    find: '    entry.filed = kNone;\n    return false;',
    replace: '    return false;',
  },
  {
    name: 'cancelled timer runs',
    file: 'native/core/timer_wheel.cc',
    find: 'entry.filed == start && entry.deadline != kNever && entry.deadline - start < span;',
    replace: 'entry.filed == start && (entry.deadline == kNever || entry.deadline - start < span);',
  },
  {
    name: 'postponed timer runs at its former deadline',
    file: 'native/core/timer_wheel.cc',
    find: '  if (due - start < span) return true;\n',
    replace: '  if (due - start < span || span == 1) return true;\n',
  },
  {
    name: 'postponed timer has no wake-up',
    file: 'native/core/timer_wheel.cc',
    find: '  WakeBy(due);\n  File(unit);\n',
    replace: '  File(unit);\n',
  },
  {
    name: 'cascade loses the last entry of a slot',
    file: 'native/core/timer_wheel.cc',
    find: '    } else if (Keep(unit, start, span)) {',
    replace: '    } else if (!store_.Empty(slot) && Keep(unit, start, span)) {',
  },
  {
    name: 'cascade goes from the lowest level up',
    file: 'native/core/timer_wheel.cc',
    find: '  return MoveDown<Level3, Level2>(Level3::StartOf(tick_)) && MoveDown<Level2, Level1>(Level2::StartOf(tick_)) &&\n         MoveDown<Level1, Level0>(Level1::StartOf(tick_));',
    replace:
      '  return MoveDown<Level1, Level0>(Level1::StartOf(tick_)) && MoveDown<Level2, Level1>(Level2::StartOf(tick_)) &&\n         MoveDown<Level3, Level2>(Level3::StartOf(tick_));',
  },
  {
    name: 'interrupted cascade forgets the slot',
    file: 'native/core/timer_wheel.cc',
    find: '  if (emptied) occupied_.Reset(slot);\n',
    replace: '  occupied_.Reset(slot);\n',
  },
  {
    name: 'occupancy bit kept by an emptied slot',
    file: 'native/core/timer_wheel.cc',
    find: '  if (emptied) occupied_.Reset(slot);\n',
    replace: '',
  },
  {
    name: 'cascade without a bound of work',
    file: 'native/core/timer_wheel.cc',
    find: '  const bool emptied = store_.Drain(slot, work_,',
    replace:
      '  if (span != Level0::kSpan) work_ = UINT32_MAX;\n  const bool emptied = store_.Drain(slot, work_,',
  },
  {
    name: 'slot moved whole ahead of its time',
    file: 'native/core/timer_wheel.cc',
    find: 'std::min(work_, kAheadPerAdvance)',
    replace: 'work_',
  },
  {
    name: 'slot of level 2 not moved ahead of its time',
    file: 'native/core/timer_wheel.cc',
    find: '    MoveDown<Level2, Level1>(period);\n',
    replace: '',
  },

  // ---- expiring
  {
    name: 'more expired than the expirations hold',
    file: 'native/core/timer_wheel.cc',
    find: '&& end != kExpirationsCapacity) {',
    replace: '&& end != kExpirationsCapacity + 1) {',
  },
  {
    name: 'more gathered than the expirations hold',
    file: 'native/core/timer_wheel.cc',
    find: 'std::min(work_, kExpirationsCapacity - begin)',
    replace: 'std::min(work_, kExpirationsCapacity)',
  },
  {
    name: 'parked timer that was set anew handed over',
    file: 'native/core/timer_wheel.cc',
    find: 'if (due.filed != kNone || is_again) continue;',
    replace: 'if (is_again) continue;',
  },
  {
    name: 'parked timer that was gathered again handed over twice',
    file: 'native/core/timer_wheel.cc',
    find: 'if (due.filed != kNone || is_again) continue;',
    replace: 'if (due.filed != kNone) continue;',
  },
  {
    name: 'last parked timer remembered in the next batch',
    file: 'native/core/timer_wheel.cc',
    find: '  if (store_.Empty(SlotStore::kDue)) last_emitted_ = 0;\n',
    replace: '',
  },
  {
    name: 'last parked timer recognised by the order number gathered last',
    file: 'native/core/timer_wheel.cc',
    find: 'due.order == last_emitted_order_;',
    replace: 'due.order == last_order_;',
  },
  {
    name: 'submission into the batch that is being gathered not put in order',
    file: 'native/core/timer_wheel.cc',
    find: '  if (count != 0 && gathering_) ascending_ = false;\n',
    replace: '',
  },
  {
    name: 'order lost on a recycled record',
    file: 'native/core/timer_wheel.cc',
    find: '  last_order_ = due.order;\n  return true;',
    replace: '  return true;',
  },
  {
    name: 'order lost in a tick larger than the expirations',
    file: 'native/core/timer_wheel.cc',
    find: '  if (!ascending_) store_.SortDue();\n',
    replace: '',
  },
  {
    name: 'timer filed while its tick is handed out runs after the rest',
    file: 'native/core/timer_wheel.cc',
    find: '  if (!gathering_ && Occupied<Level0>(tick_)) {\n',
    replace: '  if (!gathering_ && Occupied<Level0>(tick_) && store_.Empty(SlotStore::kDue)) {\n',
  },
  {
    name: 'expired record still named as filed',
    file: 'native/core/timer_wheel.cc',
    find: '  due.filed = kNone;\n',
    replace: '',
  },
  {
    name: 'batch that did not fit is dropped',
    file: 'native/core/timer_wheel.cc',
    find: '  for (std::uint32_t i = begin; i < end; ++i) store_.Append(SlotStore::kDue, memory().expiration(i));\n',
    replace: '',
  },
  {
    name: 'batch that did not fit is taken for finished',
    file: 'native/core/timer_wheel.cc',
    find: '  control(kExpired) = end;\n  return store_.Empty(SlotStore::kDue);',
    replace: '  control(kExpired) = end;\n  return true;',
  },
  {
    name: 'gathering without a bound of work',
    file: 'native/core/timer_wheel.cc',
    find: '  const bool emptied = store_.Drain(slot, work_,',
    replace:
      '  if (span == Level0::kSpan) work_ = UINT32_MAX;\n  const bool emptied = store_.Drain(slot, work_,',
  },
  {
    name: 'gathering that does not use up the work',
    file: 'native/core/timer_wheel.cc',
    find: '  work_ -= work;\n',
    replace: '',
  },
  {
    name: 'merge sort leaves out the last of a run',
    file: 'native/core/timer_wheel.cc',
    find: 'b < right && order(b)',
    replace: 'b + 1 < right && order(b)',
  },
  {
    name: 'merge sort stops a width early',
    file: 'native/core/timer_wheel.cc',
    find: 'for (std::uint32_t width = 1; width < end - begin; width *= 2) {',
    replace: 'for (std::uint32_t width = 1; width * 2 < end - begin; width *= 2) {',
  },
  {
    name: 'radix sort skips a bit of each digit',
    file: 'native/core/slot_store.cc',
    find: 'shift += kDigitBits',
    replace: 'shift += kDigitBits + 1',
  },
  {
    name: 'radix sort leaves its last bucket behind',
    file: 'native/core/slot_store.cc',
    find: 'bucket < kChains + kBuckets;',
    replace: 'bucket < kChains + kBuckets - 1;',
  },
  {
    name: 'run of a chunk an entry short',
    file: 'native/core/slot_store.h',
    find: 'chain.cursor : chunk + kChunkLink;',
    replace: 'chain.cursor : chunk + kChunkLink - 1;',
  },
  {
    name: 'last run of a slot an entry short',
    file: 'native/core/slot_store.h',
    find: 'is_last ? chain.cursor : chunk',
    replace: 'is_last ? chain.cursor - 1 : chunk',
  },
  {
    name: 'run longer than the work that is left',
    file: 'native/core/slot_store.h',
    find: 'std::min(end - chain.front, most)',
    replace: 'end - chain.front',
  },
  {
    name: 'chunk of a run never released',
    file: 'native/core/slot_store.h',
    find: '    Release(chain.front);\n    chain.front = next;\n',
    replace: '    chain.front = next;\n',
  },
  {
    name: 'run still counted among the entries',
    file: 'native/core/slot_store.h',
    find: '  entries_ -= run.count;\n',
    replace: '',
  },
  {
    name: 'run goes on from the former chunk',
    file: 'native/core/slot_store.h',
    find: '    chain.front = next;\n',
    replace: '    chain.front = next + 1;\n',
  },

  // ---- sweeping
  {
    name: 'sweep never begins',
    file: 'native/core/timer_wheel.cc',
    find: '    if (store_.entries() >= entry_limit_) Sweep();\n',
    replace: '',
  },
  {
    name: 'sweep begins an entry too late',
    file: 'native/core/timer_wheel.cc',
    find: 'if (store_.entries() >= entry_limit_) Sweep();',
    replace: 'if (store_.entries() > entry_limit_) Sweep();',
  },
  {
    name: 'sweep forgets a level',
    file: 'native/core/timer_wheel.cc',
    find: '  SweepLevel<Level3>();\n',
    replace: '',
  },
  {
    name: 'sweep drops a live entry that was postponed',
    file: 'native/core/timer_wheel.cc',
    find: 'entry.filed = entry.deadline == kNever ? kNone : kSeen;',
    replace:
      'const Tick span = slot < Level1::kFirstSlot ? 1 : slot < Level2::kFirstSlot ? 256 : 65536;\n' +
      '    entry.filed = entry.deadline - start >= span ? kNone : kSeen;',
  },
  {
    name: 'sweep keeps a second entry of a record',
    file: 'native/core/timer_wheel.cc',
    find: '    entry.filed = entry.deadline == kNever ? kNone : kSeen;\n    if (entry.filed == kSeen) store_.Append',
    replace:
      '    entry.filed = entry.deadline == kNever ? kNone : start;\n    if (entry.filed == start) store_.Append',
  },
  {
    name: 'sweep leaves its mark',
    file: 'native/core/timer_wheel.cc',
    find: '    record(unit).filed = start;\n',
    replace: '',
  },

  // ---- the next expiry
  {
    name: 'wake too late',
    file: 'native/core/timer_wheel.cc',
    find: 'if (control(kArmed) == 0 || Before(tick, control(kWake))) control(kWake) = tick;',
    replace: 'if (control(kArmed) == 0) control(kWake) = tick;',
  },
  {
    name: 'wake-up compared without the wrap',
    file: 'native/core/timer_wheel.cc',
    find: 'if (control(kArmed) == 0 || Before(tick, control(kWake))) control(kWake) = tick;',
    replace: 'if (control(kArmed) == 0 || tick < control(kWake)) control(kWake) = tick;',
  },
  {
    name: 'no wake-up for what is unfinished',
    file: 'native/core/timer_wheel.cc',
    find: '  if (control(kUnfinished) != 0) return WakeBy(tick_);\n',
    replace: '',
  },
  {
    name: 'woken at the end of a slot',
    file: 'native/core/timer_wheel.cc',
    find: 'prunes_ == 0) return WakeBy(start);',
    replace: 'prunes_ == 0) return WakeBy(start + (std::uint32_t{1} << shift) - 1);',
  },
  {
    name: 'woken for cancelled timers',
    file: 'native/core/timer_wheel.cc',
    find: '    if (!store_.Empty(slot)) return;\n',
    replace: '    if (!store_.Empty(slot)) return;\n    if (first < slot) return WakeBy(start);\n',
  },
  {
    name: 'search without a bound of pruning',
    file: 'native/core/timer_wheel.cc',
    find: '    --prunes_;\n    Prune(',
    replace: '    Prune(',
  },
  {
    name: 'search of a tick without a bound of pruning',
    file: 'native/core/timer_wheel.cc',
    find: '      --prunes_;\n      store_',
    replace: '      store_',
  },
  {
    name: 'woken for a stale front of a tick',
    file: 'native/core/timer_wheel.cc',
    find: 'while (prunes_ != 0 && !Keep(store_.Front(slot), tick, 1)) {',
    replace: 'while (store_.Empty(slot)) {',
  },
  {
    name: 'search leaves out the levels above an occupied tick',
    file: 'native/core/timer_wheel.cc',
    find: 'return ahead < TicksToWindow();',
    replace: 'return true;',
  },
  {
    name: 'pruned slot has no wake-up',
    file: 'native/core/timer_wheel.cc',
    find: '    WakeBy(DueTick(record(unit)));\n    entries[kept++] = unit;',
    replace: '    entries[kept++] = unit;',
  },
  {
    name: 'pruning drops the last entry',
    file: 'native/core/timer_wheel.cc',
    find: '  for (std::uint32_t i = 0; i < count; ++i) {\n    const Unit unit = entries[i];',
    replace: '  for (std::uint32_t i = 0; i + (count > 1) < count; ++i) {\n    const Unit unit = entries[i];',
  },

  // ---- chunks
  {
    name: 'chunk never released',
    file: 'native/core/slot_store.h',
    find: '      Release(at);\n      at = next;',
    replace: '      at = next;',
  },
  {
    name: 'chunk released twice',
    file: 'native/core/slot_store.h',
    find: '    Release(chain.front);\n    chain = ',
    replace: '    Release(chain.front);\n    Release(chain.front);\n    chain = ',
  },
  {
    name: 'work not used up by a run',
    file: 'native/core/slot_store.h',
    find: '      work -= run.count;\n',
    replace: '',
  },
  {
    name: 'slot being read taken for a small one',
    file: 'native/core/slot_store.h',
    find: 'return chains_[slot].front == Head(slot) && chains_',
    replace: 'return chains_',
  },
  {
    name: 'pruned entries still counted',
    file: 'native/core/slot_store.h',
    find: '    entries_ -= SmallCount(slot) - count;\n',
    replace: '',
  },

  // ---- ticks, levels, bits
  {
    name: 'wrapping compare replaced by <',
    file: 'native/core/record.h',
    find: 'return static_cast<std::int32_t>(a - b) < 0;',
    replace: 'return a < b;',
  },
  {
    name: 'valid tick not skipped',
    file: 'native/core/record.h',
    find: 'return tick >= kSeen ? 0 : tick;',
    replace: 'return tick;',
  },
  {
    name: 'one state forgotten among the valid ticks',
    file: 'native/core/record.h',
    find: 'return tick >= kSeen ? 0 : tick;',
    replace: 'return tick > kSeen ? 0 : tick;',
  },
  {
    name: 'start of a slot does not go around the ring',
    file: 'native/core/level.h',
    find: '(slot - SlotOf(now)) & (kCount - 1);',
    replace: 'slot - SlotOf(now);',
  },
  {
    name: 'slots before now in the same word are not found',
    file: 'native/core/slot_bitmap.h',
    find: 'for (std::uint32_t i = 0; i <= count; ++i) {',
    replace: 'for (std::uint32_t i = 0; i < count; ++i) {',
  },
  {
    name: 'slots before now are found first',
    file: 'native/core/slot_bitmap.h',
    find: ' & (~BitmapWord{0} << (slot % kBitmapWordBits));',
    replace: ';',
  },

  // ---- within a tick
  {
    name: 'timers of a turn that began with a tick are due in the next',
    file: 'native/core/due_within_tick.h',
    find: 'since > tick && closed < tick + 1',
    replace: 'closed < tick + 1',
  },
  {
    name: 'turn that went over a tick taken for one within it',
    file: 'native/core/due_within_tick.h',
    find: 'since > tick && closed < tick + 1',
    replace: 'since > tick',
  },
  {
    name: 'only the first timer of a tick is noted',
    file: 'native/core/due_within_tick.h',
    find: 'first ? step_ : std::max(latest_[slot], step_)',
    replace: 'first ? step_ : latest_[slot]',
  },
  {
    name: 'timers in the slot 512 ticks ago still count',
    file: 'native/core/due_within_tick.h',
    find: 'first ? step_ : std::max(latest_[slot], step_)',
    replace: 'std::max(latest_[slot], step_)',
  },
  {
    name: 'postponed timer taken for exact',
    file: 'native/core/due_within_tick.h',
    find: 'void EndSubmissions() { step_ = StepOf(kWholeTick); }',
    replace: 'void EndSubmissions() {}',
  },
  {
    name: 'delay with a fraction taken for exact',
    file: 'native/core/due_within_tick.h',
    find: 'StepOf(exact && since',
    replace: 'StepOf(since',
  },
  {
    name: 'no timer is exact after the first delay with a fraction',
    file: 'native/core/timer_wheel.cc',
    find: '  control(kInexact) = 0;\n',
    replace: '',
  },
  {
    name: 'open epoch taken for closed',
    file: 'native/core/timer_wheel.cc',
    find: 'const bool closed = control(kEpochEnd) == 0;',
    replace: 'const bool closed = true;',
  },
  {
    name: 'turn counted from its last epoch',
    file: 'native/core/timer_wheel.cc',
    find: 'if (!kOptimizeForSize && control(kSubmitted) == 0) memory().set_real(kSince, now);',
    replace: 'if (!kOptimizeForSize) memory().set_real(kSince, now);',
  },
  {
    name: 'turn counted from a former one',
    file: 'native/core/timer_wheel.cc',
    find: 'if (!kOptimizeForSize && control(kSubmitted) == 0) memory().set_real(kSince, now);',
    replace: 'if (!kOptimizeForSize && memory().real(kSince) == 0) memory().set_real(kSince, now);',
  },
  {
    name: 'tick expired ahead of an earlier tick with timers',
    file: 'native/core/timer_wheel.cc',
    find: 'control(kWake) == static_cast<Tick>(static_cast<std::uint64_t>(tick)) + 1;',
    replace: 'control(kWake) - static_cast<Tick>(static_cast<std::uint64_t>(tick)) <= 1;',
  },
  {
    name: 'tick expired ahead though submissions may be due in it',
    file: 'native/core/timer_wheel.cc',
    find: 'bool TimerWheel::IsTickDue() {\n  TakeSubmissions();\n',
    replace: 'bool TimerWheel::IsTickDue() {\n',
  },
  {
    name: 'record set again for its tick keeps the time of the first',
    file: 'native/core/testing/submitter.h',
    find: 'timer.filed != kNone && Before(timer.filed, deadline) &&',
    replace: 'timer.filed != kNone && !Before(deadline, timer.filed) &&',
  },

  // ---- the submitter
  {
    name: 'shortened timer keeps the later wake-up',
    file: 'native/core/testing/submitter.h',
    find: 'timer.filed != kNone && Before(timer.filed, deadline) && !Before(deadline, memory.word(kWake));',
    replace: 'timer.filed != kNone && Before(timer.filed, deadline);',
  },
  {
    name: 'record submitted twice',
    file: 'native/core/testing/submitter.h',
    find: 'if (!has_entry && timer.filed != kQueued) Submit',
    replace: 'if (!has_entry) Submit',
  },
  {
    name: 'ended call taken for an interrupted one',
    file: 'native/core/timer_wheel.h',
    find: 'void End() { memory().set_flag(kBusy, 0); }',
    replace: 'void End() {}',
  },
]
