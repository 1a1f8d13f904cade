/** What only looks at a wheel: its counts, and its pending timers. */
import type { WheelStats } from '../api/stats.js'
import type { PendingTimer } from '../api/wheel.js'
import type { Kernel } from '../kernel/kernel.js'
import type { Callback, Shown, Target } from '../kernel/target.js'
import { argumentOf, bytesOf, orderOf, unitsOf } from '../kernel/units.js'
import type { Wheel } from './wheel.js'

export function statsOf({ _kernel: kernel, _limits, _measured: measure }: Wheel): WheelStats {
  const pending = kernel._pending()
  const { _scheduled: scheduled, _fired: fired } = kernel
  return {
    pending,
    scheduled,
    fired,
    // The interval whose callback runs is neither pending nor over.
    cancelled: scheduled + kernel._again - fired - kernel._taken(),
    overruns: _limits._overruns,
    bytes: bytesOf(kernel),
    ...measure?.(),
  }
}

/** The counts of a wheel that is not open. */
export const noStats = (): WheelStats => ({
  pending: 0,
  scheduled: 0,
  fired: 0,
  cancelled: 0,
  overruns: 0,
  bytes: 0,
})

/** What `pendingTimers()` shows of a unit. */
export function shownOf(kernel: Kernel, unit: number): Shown | undefined {
  const target = kernel._targetOf(unit)
  const owner = kernel._ownerOf(unit)
  if (owner) return owner._shownOf(target)
  if (typeof target !== 'function') return (target as Target)._shown
  return {
    callback: target as Callback,
    args: [argumentOf(kernel, unit)],
    hasRef: !kernel._isUnref,
  }
}

/** The pending timers, in the order in which they will run. */
export function pendingTimersOf(wheel: Wheel): PendingTimer[] {
  const { _kernel: kernel, _virtual } = wheel
  if (!kernel._pending()) return []
  const now = kernel._readClock()
  const perMs = 1 / kernel._tick
  const found = unitsOf(kernel)
    .filter((unit) => !kernel._isRunning(unit))
    .map((unit) => ({ shown: shownOf(kernel, unit), due: kernel._dueOf(unit), order: orderOf(kernel, unit) }))
  found.sort((a, b) => Math.floor(a.due * perMs) - Math.floor(b.due * perMs) || a.order - b.order)
  const timers: PendingTimer[] = []
  for (const { shown, due } of found) {
    // Virtual time lets the process end.
    if (shown) timers.push({ ...shown, remaining: due - now, hasRef: shown.hasRef && !_virtual })
  }
  return timers
}
