// The interface through which each design of timers is measured.
//
// Ticks are milliseconds. Time starts at tick 0, which has passed. A deadline at or before the last tick that was
// advanced to is overdue, and runs by the next tick. No run comes near tick 2^31, so the designs written for comparison
// need not handle the wrap.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace timeout_wheel::bench {

using Tick = std::uint32_t;

/// The result of NextExpiry if nothing is pending. No deadline reaches it.
inline constexpr Tick kNoExpiry = 0x7fffffff;

/// The rules that a design keeps.
struct Traits {
  const char* name;
  bool exact = true;  // no timer runs late; a design that is not exact explains it
  bool fifo = true;   // timers of one tick run in the order in which they were scheduled or rescheduled
};

/// `Handle` names a pending timer. When the timer expires or is cancelled, its record is free and may be used again.
template <class D>
concept Design = std::constructible_from<D, std::size_t> &&
    requires(D design, const D& constant, typename D::Handle handle, Tick tick, void (*expired)(typename D::Handle)) {
  { D::kTraits } -> std::convertible_to<Traits>;
  { design.Schedule(tick) } -> std::same_as<typename D::Handle>;
  design.Cancel(handle);
  // Moves the timer to the end of the order, as if it were scheduled now. The handle may change.
  { design.Reschedule(handle, tick) } -> std::same_as<typename D::Handle>;
  // Calls `expired` for each timer due at or before the tick. It may schedule, cancel and reschedule.
  design.Advance(tick, expired);
  // The tick at which Advance should be called next: never after the earliest deadline, but before it if the design
  // wakes early.
  { design.NextExpiry() } -> std::same_as<Tick>;
  // The work of a tick beside expiry, such as taking queued operations or a sweep. Most designs have none.
  design.Settle();
  // Bytes of memory for the timers: nodes, tables, queues.
  { constant.Bytes() } -> std::same_as<std::size_t>;
};

}  // namespace timeout_wheel::bench
