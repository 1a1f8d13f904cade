// A hierarchical timing wheel (Varghese & Lauck, 1987) over records in shared memory.
//
// It knows no clock and allocates nothing: time is an argument, and the owner of the wheel provides the memory. The
// client (lib/node/scheduler and lib/page in JavaScript, testing/submitter.h in C++) writes deadlines into records, and
// submits each record that has no entry at or before its deadline. The wheel files the submissions. It hands back due
// timers in the order of (deadline tick, order number).
//
// Rescheduling is lazy. A record that was cancelled or moved to a later deadline keeps its entry. When the wheel
// reaches the slot, it drops the entry or files the record again. An entry in the slot that starts at W is valid only
// while its record's `filed` is W. Otherwise it is stale.
//
// A call may end anywhere: when the stack is used up or a program is stopped, engines interrupt WebAssembly at the head
// of each function and loop. `kBusy` tells the next call, which then files every live record again. It trusts the
// records alone, because the client writes each record without an interruption.
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

  /// Call this after the memory was moved, with its contents, to `address`.
  void Attach(void* address) { store_.Attach(address); }
  /// Call this after the memory has grown to `blocks` blocks.
  void Extend(std::uint32_t blocks);

  /// Opens an epoch: the operations that follow count from `now`, in ticks, which never decreases. Closes the epoch
  /// before it: if the deadline of one of its operations would be early, the deadline moves later by the time that
  /// passed. O(64).
  void OpenEpoch(double now);
  /// Closes the epoch and opens none. The next operation must open one.
  void CloseEpoch(double now);

  /// Files the submitted records and lowers kWake accordingly. O(submissions), amortised sweeps included.
  void TakeSubmissions();

  /// The part of the last tick, from 0 to 1, after which all timers with the deadline kWake are due.
  double DueWithinWakeTick() const;
  /// Whether all timers whose deadline is the end of the current tick are due already, by the last clock reading of
  /// OpenEpoch. Takes submissions first.
  bool IsTickDue();

  /// Appends the timers due at or before `target` to the expirations, and returns their number. Takes submissions
  /// first. Stops early and sets kUnfinished if the expirations are full or a bound of work is reached, so no call
  /// takes long. The former expirations must have been consumed. Updates kWake.
  std::uint32_t Advance(Tick target);

  Tick tick() const { return tick_; }
  const SlotStore& store() const { return store_; }

 private:
  friend class InvariantChecker;

  // Entries that one Advance visits at most: an estimated 0.2 ms.
  static constexpr std::uint32_t kWorkPerAdvance = 16384;
  // Entries that an Advance moves down ahead of time, after it has reached its target.
  static constexpr std::uint32_t kAheadPerAdvance = 1024;
  // Slots, and entries of level 0, that one search for the next expiry may drop.
  static constexpr std::uint32_t kPrunesPerWake = 64;

  using Level0 = Level<0, 512, 0>;
  using Level1 = Level<8, 512, 512>;
  using Level2 = Level<16, 256, 1024>;
  using Level3 = Level<24, 256, 1280>;

  const Memory& memory() const { return store_.memory(); }
  Record& record(Unit unit) const { return memory().record(unit); }
  /// Whether `unit` names a record. Units from the client are not trusted.
  TIMEOUT_WHEEL_INLINE_FOR_SPEED bool IsRecord(Unit unit) const;
  std::uint32_t& control(ControlWord word) const { return memory().word(word); }
  Tick DueTick(const Record& record) const;

  void Begin();
  void End() { memory().set_flag(kBusy, 0); }
  [[gnu::noinline]] void Rebuild();
  void CommitDeferred();
  void MoveTouched(double now);
  bool KeepsNotes(double closed) const;
  void FileSubmissions();
  void SetSubmissionPart();
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
  [[gnu::noinline]] bool Settle(Unit unit, Tick start, std::uint32_t covered);
  bool Keep(Unit unit, Tick start, std::uint32_t covered);
  [[gnu::noinline]] void SortExpirations(std::uint32_t begin, std::uint32_t end);

  bool Cascade();
  template <class Upper, class Lower>
  bool MoveDown(Tick start);
  TIMEOUT_WHEEL_INLINE_FOR_SPEED bool MoveSlotDown(std::uint32_t slot, Tick start, std::uint32_t covered,
                                                   std::uint32_t count, std::uint32_t first, std::uint32_t shift);
  void MoveDownAhead();
  /// Whether the level's slot that holds `tick` is occupied.
  template <class L>
  [[gnu::always_inline]] bool Occupied(Tick tick) const {
    // For speed: the address of the level's words is a constant.
    if constexpr (kOptimizeForSize) return occupied_.Test(L::SlotOf(tick));
    return TestIn(occupied_.words() + L::kFirstSlot / kBitmapWordBits, L::SlotOf(tick) - L::kFirstSlot);
  }
  template <class L>
  std::uint32_t TicksToNextSlot() const {
    return timeout_wheel::TicksToNextSlot<L>(occupied_, tick_);
  }
  std::uint32_t TicksToNextSlot() const;
  // Ticks to the next window of level 0, where slots of the levels above begin. 0 at the first tick of a window,
  // because those slots may not have been moved down yet.
  std::uint32_t TicksToWindow() const { return -tick_ & (Level1::kCovered - 1); }

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
  [[gnu::noinline]] void Prune(std::uint32_t slot, Tick start, std::uint32_t covered);

  SlotStore store_;
  OccupiedSlots occupied_;

  Tick tick_ = 0;
  [[no_unique_address]] DueWithinTick<Level0::kSlotCount> due_within_tick_;
  std::uint32_t blocks_ = 0;
  std::uint32_t entry_limit_ = 0;
  std::uint32_t work_ = 0;
  std::uint32_t prunes_ = 0;
  // The tick's batch did not fit into the expirations. Its entries are being collected in the store's kDue chain.
  bool gathering_ = false;
  bool ascending_ = true;
  std::uint32_t last_order_ = 0;
  // The record handed over last, of a batch that did not fit.
  Unit last_emitted_ = 0;
  std::uint32_t last_emitted_order_ = 0;
};

}  // namespace timeout_wheel
