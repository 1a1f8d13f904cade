// A hierarchical timing wheel (Varghese & Lauck, 1987) over records in shared memory.
//
// It knows no clock and allocates nothing: time comes in as an argument, memory from whoever owns the wheel. The other
// side (Submitter in C++, lib/memory.ts in JavaScript) writes deadlines into records and submits the records that have
// no entry at or before their deadline; the wheel files these, and hands back what is due in the order of
// (deadline tick, order number).
//
// Re-arming is lazy. A record whose deadline has moved to later, or that was cancelled, keeps its entry; the wheel
// finds out when it reaches the slot, and files the record again or drops the entry. An entry in the slot that starts
// at W is valid only while its record's `filed` is W, else it is stale.
//
// A call may end anywhere: engines interrupt WebAssembly at the head of each function and loop, when the stack is used
// up or a program is stopped. `kBusy` tells the next call, which then files every live record anew: the records alone
// are the truth, and each is written by the other side in one go.
#pragma once

#include <cstdint>

#include "due_within_tick.h"
#include "layout.h"
#include "level.h"
#include "memory.h"
#include "record.h"
#include "size_profile.h"
#include "slot_store.h"

namespace timeout_wheel {

class TimerWheel {
 public:
  /// A wheel over zeroed memory of the base and `blocks` blocks, at least one. The memory must be aligned to 128 bytes.
  TimerWheel(void* address, std::uint32_t blocks);

  /// The memory has been moved to `address`, its contents with it.
  void Attach(void* address) { store_.Attach(address); }
  /// The memory has grown to `blocks` blocks.
  void Extend(std::uint32_t blocks);

  /// Reads the clock for the operations that follow: `now` in ticks, never less than before. What was touched since the
  /// last reading is moved later by the time that passed, where its deadline would be early otherwise. O(64).
  void OpenEpoch(double now);
  /// The same without an epoch to follow: the next operation must open one.
  void CloseEpoch(double now);

  /// Files the submitted records, and brings kWake up to date. O(submissions), with a sweep in amortised O(1).
  void TakeSubmissions();

  /// How much of its last tick will have passed when all timers are due whose deadline is kWake, from 0 to 1.
  double DueWithinWakeTick() const;
  /// Whether all timers are due, at the clock that OpenEpoch has read, whose deadline is the end of the tick that is
  /// under way. Takes submissions first.
  bool IsTickDue();

  /// Expires what is due at or before `target`, into the expirations, and returns their number. Takes submissions
  /// first. Stops early, with kUnfinished set, when the expirations are full or a bound of work is reached: no call
  /// takes long. The former expirations must have been consumed. Brings kWake up to date.
  std::uint32_t Advance(Tick target);

  /// Forgets all entries and submissions; records are the caller's to reset. `tick` is the next tick to process.
  void Clear(Tick tick);

  Tick tick() const { return tick_; }
  const SlotStore& store() const { return store_; }

 private:
  friend class InvariantChecker;

  // Entries visited by one Advance: about 0.2 ms.
  static constexpr std::uint32_t kWorkPerAdvance = 16384;
  // Entries that an Advance with nothing left to do moves down ahead of their time.
  static constexpr std::uint32_t kAheadPerAdvance = 1024;
  // Slots, and entries of level 0, that one search for the next expiry may drop.
  static constexpr std::uint32_t kPrunesPerWake = 64;

  using Level0 = Level<0, 512, 0>;
  using Level1 = Level<8, 512, 512>;
  using Level2 = Level<16, 256, 1024>;
  using Level3 = Level<24, 256, 1280>;

  const Memory& memory() const { return store_.memory(); }
  Record& record(Unit unit) const { return memory().record(unit); }
  /// No unit of the other side is trusted.
  TIMEOUT_WHEEL_INLINE_FOR_SPEED bool IsRecord(Unit unit) const;
  std::uint32_t& control(ControlWord word) const { return memory().word(word); }
  Tick DueTick(const Record& record) const;

  void Begin();
  void End() { memory().set_flag(kBusy, 0); }
  [[gnu::noinline]] void Rebuild();
  void CommitDeferred();
  void MoveTouched(double now);
  void FileSubmissions();
  void NoteWhenSubmitted();
  [[gnu::noinline]] std::uint32_t File(Unit unit);
  template <class L>
  std::uint32_t Put(Tick due, Unit unit);
  TIMEOUT_WHEEL_INLINE_FOR_SPEED std::uint32_t PutIn(std::uint32_t count, std::uint32_t first, std::uint32_t shift,
                                                     Tick due, Unit unit);

  bool ExpireTick();
  bool GatherDirect();
  [[gnu::noinline]] bool GatherRest();
  bool Gather(Unit unit);
  bool EmitDue();
  [[gnu::noinline]] bool Settle(Unit unit, Tick start, std::uint32_t span);
  bool Keep(Unit unit, Tick start, std::uint32_t span);
  [[gnu::noinline]] void SortExpirations(std::uint32_t begin, std::uint32_t end);

  bool Cascade();
  template <class Upper, class Lower>
  bool MoveDown(Tick start);
  TIMEOUT_WHEEL_INLINE_FOR_SPEED bool MoveSlotDown(std::uint32_t slot, Tick start, std::uint32_t span,
                                                   std::uint32_t count, std::uint32_t first, std::uint32_t shift);
  void MoveDownAhead();
  /// Whether the level's slot that holds `tick` is.
  template <class L>
  [[gnu::always_inline]] bool Occupied(Tick tick) const {
    // The addon knows the place of the level's words when it is compiled.
    if constexpr (kOptimizeForSize) return occupied_.Test(L::SlotOf(tick));
    return TestIn(occupied_.words() + L::kFirstSlot / kBitmapWordBits, L::SlotOf(tick) - L::kFirstSlot);
  }
  template <class L>
  std::uint32_t TicksToNextSlot() const {
    return timeout_wheel::TicksToNextSlot<L>(occupied_, tick_);
  }
  std::uint32_t TicksToNextSlot() const;
  // Until the next window of level 0, where slots of the levels above begin; 0 at its first tick, where these may not
  // have been moved down.
  std::uint32_t TicksToWindow() const { return -tick_ & (Level1::kSpan - 1); }

  [[gnu::noinline]] void Sweep();
  template <class L>
  void SweepLevel();
  TIMEOUT_WHEEL_INLINE_FOR_SPEED void SweepSlots(std::uint32_t count, std::uint32_t first, std::uint32_t shift);
  void SweepSlot(std::uint32_t slot, Tick start);

  [[gnu::noinline]] void FindNextExpiry();
  void WakeBy(Tick tick);
  bool WakeForTick();
  template <class L>
  void WakeForLevel();
  TIMEOUT_WHEEL_INLINE_FOR_SPEED void WakeForSlots(std::uint32_t count, std::uint32_t first, std::uint32_t shift);
  [[gnu::noinline]] void Prune(std::uint32_t slot, Tick start, std::uint32_t span);

  SlotStore store_;
  OccupiedSlots occupied_;

  Tick tick_ = 0;
  [[no_unique_address]] DueWithinTick<Level0::kSlotCount> due_within_tick_;
  std::uint32_t blocks_ = 0;
  std::uint32_t entry_limit_ = 0;
  std::uint32_t work_ = 0;
  std::uint32_t prunes_ = 0;
  // The tick's batch did not fit: its entries are being collected in the store's kDue chain.
  bool gathering_ = false;
  bool ascending_ = true;
  std::uint32_t last_order_ = 0;
  // What was handed over last of a batch that did not fit.
  Unit last_emitted_ = 0;
  std::uint32_t last_emitted_order_ = 0;
};

}  // namespace timeout_wheel
