// The interface behind which every design of timers is tested and measured.
//
// Ticks are milliseconds. Time begins at tick 0, which is past: a deadline at or before the tick last advanced to is
// overdue, and runs by the next tick. No run comes near the 2^31st tick, so the designs written for comparison need not
// care about the wrap.
#pragma once

#include <concepts>
#include <cstddef>

#include "core/record.h"

namespace timeout_wheel::bench {

/// What NextExpiry returns where nothing is pending: no deadline reaches it.
inline constexpr Tick kNoExpiry = 0x7fffffff;
/// The furthest deadline that all designs take.
inline constexpr Tick kFurthest = 0x3fffffff;

enum class Removal {
  kUnlinks,  // a cancelled timer leaves the structure at once
  kMarks,    // a cancelled timer is marked, and leaves later
};

struct Traits {
  const char* name;
  const char* title;
  bool exact = true;  // nothing runs late; where it is not: see the design
  bool fifo = true;   // timers of one tick run in the order in which they were scheduled or rescheduled
  Removal removal = Removal::kUnlinks;
  bool real = false;  // the real thing, not one written for comparison
  Tick furthest = kFurthest;
};

/// `Handle` names a pending timer. Its record is free when the timer expires or is cancelled, and may be used again.
template <class D>
concept Design = std::constructible_from<D, std::size_t> &&
    requires(D design, const D& constant, typename D::Handle handle, Tick tick, void (*expired)(typename D::Handle)) {
  { D::kTraits } -> std::convertible_to<Traits>;
  { design.Schedule(tick) } -> std::same_as<typename D::Handle>;
  design.Cancel(handle);
  // To the back of the order, as if it had been scheduled now. The handle may change.
  { design.Reschedule(handle, tick) } -> std::same_as<typename D::Handle>;
  // Calls `expired` for each timer due at or before the tick. It may schedule, cancel and reschedule.
  design.Advance(tick, expired);
  // A tick at which Advance should be called; never after the earliest deadline, before it where the design wakes
  // early.
  { design.NextExpiry() } -> std::same_as<Tick>;
  // What a tick does beside expiring: takes what was queued to it, sweeps. Nothing in most designs.
  design.Settle();
  // Bytes of memory held for the timers: nodes, tables, queues.
  { constant.Bytes() } -> std::same_as<std::size_t>;
  // A small number for each record: names what a program keeps for the timer.
  { constant.IndexOf(handle) } -> std::same_as<std::size_t>;
};

}  // namespace timeout_wheel::bench
