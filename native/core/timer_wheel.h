// A hierarchical timing wheel over records in shared memory: DESIGN.md explains it.
//
// It knows no clock and allocates nothing: time is an argument, and the owner of the wheel provides the memory. The
// client (lib/kernel in JavaScript, testing/client.h in C++) appends operations to a queue: a unit and its delay. Apply
// carries them out: it writes the due time into the record, and files the record in a slot. Expire hands the due timers
// back, in the order of (tick of the due time, sequence number).
//
// A call may end anywhere: when the stack is used up or a program is stopped, engines interrupt WebAssembly at the head
// of each function and loop. kBusy tells the next call, which then files every live unit again.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "chains.h"
#include "due_batch.h"
#include "layout.h"
#include "memory.h"
#include "queue_pace.h"
#include "record.h"
#include "slots.h"

namespace timeout_wheel {

class TimerWheel {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  /// A wheel over zeroed memory of the base and `blocks` blocks, at least one. The memory must be aligned to 128 bytes.
  /// @param ticks_per_ms the number of ticks in a millisecond
  TimerWheel(void* address, std::uint32_t blocks, double ticks_per_ms);

  /// Call this after the memory was moved, with its contents, to `address`.
  void Attach(void* address) { store_.Attach(address); }
  /// Call this after the memory has grown to `blocks` blocks.
  void Extend(std::uint32_t blocks);

  /// A turn of the event loop has ended: the next operations apply at once again.
  void BeginTurn();
  /// Carries out the queued operations. `now` never decreases. O(operations), amortised sweeps included.
  void Apply(double now);

  /// Applies the queue, and begins a pass: it hands over all timers that are due at `now`, in this call and in calls of
  /// Resume. Returns the number of expirations. The former expirations must have been consumed.
  std::uint32_t Expire(double now);
  /// Applies the queue, and goes on with the pass after kUnfinished. Each call stops at a bound, so none takes long.
  std::uint32_t Resume(double now);

  /// Finds when Expire is needed next, and writes it to kWake; infinity: never. Drops up to 64 stale entries.
  double FindWake();
  /// The time that FindWake has found. Apply lowers it, so it is never too late.
  double wake() const { return wake_; }

  const ChainStore& store() const { return store_; }

 private:
  friend class InvariantChecker;

  // The most entries that one Expire or Resume visits, an estimated 0.2 ms, and the most timers that it hands over.
#ifdef TIMEOUT_WHEEL_SMALL_BOUNDS  // tests: so that programs with few timers meet them
  static constexpr std::uint32_t kWorkPerCall = 40;
  static constexpr std::uint32_t kExpirationsPerCall = 8;
#else
  static constexpr std::uint32_t kWorkPerCall = 16384;
  static constexpr std::uint32_t kExpirationsPerCall = kExpirationsCapacity;
#endif
  // The most entries that one search for the next wake-up drops.
  static constexpr std::uint32_t kPrunesPerWake = 64;
  // A chain has at most two chunks that are not full: the last one, and the first one if it is partly read. Partly read
  // can be each slot of level 0 (FindWake drops its first entries), a slot that moves down, each bucket of the batch.
  static_assert(kSlots + kSlotsPerLevel + DueBatch::kChains + 8 <= kChunksInBase);
  static_assert(kSlots < kSeen);

  const Memory& memory() const { return store_.memory(); }
  Record& record(Unit unit) const { return memory().record(unit); }
  std::uint32_t& control(ControlWord word) const { return memory().word(word); }
  bool IsLive(Unit unit) const { return (memory().state(unit) & kLiveBit) != 0; }
  /// Whether `unit` names a record. Units from the client are not trusted. Unit 0 has a record, but is never live.
  bool IsRecord(Unit unit) const { return unit < blocks_ * kUnitsPerBlock && (unit & kIndexMask) < kRecordsPerBlock; }
  TIMEOUT_WHEEL_ONE_COPY Tick TickOf(double due) const;
  /// The tick of the slot in which a record belongs.
  Tick FilingTick(double due) const { return std::max(TickOf(due), tick_); }

  /// The number of queued operations. A count from the client is not trusted.
  std::uint32_t Queued() const { return std::min(control(kQueued), kQueueCapacity); }
  void Begin();
  void End() { memory().set_flag(kBusy, 0); }
  [[gnu::noinline]] void Rebuild();

  void ApplyQueue(double now);
  [[gnu::noinline]] void ApplyRow(std::uint32_t count, double now);
  inline bool Set(Unit unit, Record& set, double due, SlotNumber slot, std::uint64_t sequence);
  [[gnu::noinline]] void Refile(Unit unit, Record& record);
  [[gnu::noinline]] void File(Unit unit, Record& record);
  void Bound(SlotNumber slot, double due);
  /// An entry of the slot can be out of order, or be there twice.
  void Disorder(SlotNumber slot) {
    if (slot < kSlotsPerLevel) newest_[slot] = kDisordered;
  }
  bool Keep(Unit unit, SlotNumber slot);

  std::uint32_t Go();
  bool Run();
  bool RunBatch();
  bool HandOver();
  TIMEOUT_WHEEL_APART bool MoveDown(SlotNumber slot);
  [[gnu::noinline]] void FindFirstStart();

  bool PruneFront(SlotNumber slot);
  bool PruneSmall(SlotNumber slot);
  [[gnu::noinline]] void Sweep();
  [[gnu::noinline]] void SweepChain(Chain& chain, std::uint32_t filed);
  [[gnu::noinline]] void EndSweep(const Chain& chain, std::uint32_t filed);

  ChainStore store_;
  OccupiedSlots occupied_;
  QueuePace pace_;
  double ticks_per_ms_;
  std::uint32_t blocks_ = 0;
  std::uint32_t entry_limit_ = 0;

  /// All timers of earlier ticks have been handed over.
  Tick tick_ = 0;
  /// No occupied slot starts before this tick.
  Tick first_start_ = std::numeric_limits<Tick>::max();
  std::uint64_t sequence_ = 0;
  double wake_ = kNever;
  /// Since the last FindWake something has changed, so it can find another time.
  bool wake_changed_ = true;

  /// The pass hands over all timers that are due at this time.
  double target_ = 0;
  std::uint32_t work_ = 0;
  std::uint32_t prunes_ = 0;
  enum class Phase : std::uint8_t { kSeek, kSort, kHandOver } phase_ = Phase::kSeek;
  /// The number of the last operation before the pass came to the tick.
  std::uint64_t reached_ = 0;
  /// What was in the chain that is being swept.
  Chain swept_;
  DueBatch batch_;
  std::array<Slot, kSlots> slots_{};
  static constexpr std::uint64_t kDisordered = UINT64_MAX;
  /// For each slot of level 0: the number of the newest operation with an entry there, or kDisordered. If it is a
  /// number, the entries are in order, and all those that are valid belong to the tick.
  std::array<std::uint64_t, kSlotsPerLevel> newest_{};
};

}  // namespace timeout_wheel
