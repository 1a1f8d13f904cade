/** The ends of all timers of a wheel, and of the wheel itself. */
import type { PendingTimer } from '../api/wheel.js'
import { callbacksOf } from '../kernel/callbacks.js'
import type { Kernel } from '../kernel/kernel.js'
import { stop } from '../kernel/stop.js'
import type { Target } from '../kernel/target.js'
import { unitsOf } from '../kernel/units.js'
import { pendingTimersOf } from './looks.js'
import type { Wheel } from './wheel.js'

/** Cancels the timer of a live unit. */
export function cancelUnit(kernel: Kernel, unit: number): void {
  const target = kernel._targetOf(unit)
  const owner = kernel._ownerOf(unit)
  if (owner) kernel._owned!._end(owner, unit)
  else if (typeof target === 'function') callbacksOf(kernel)._cancel(unit)
  // A frozen handle cannot show that its timer has ended.
  else if (Object.isFrozen(target)) kernel._end(unit, (target as Target)._shown!.hasRef)
  else (target as Target)._cancel()
}

/** Cancels all timers, an interval whose callback runs too. Returns their number. O(n). */
export function clearAll({ _kernel: kernel }: Wheel): number {
  const before = kernel._taken()
  for (const unit of unitsOf(kernel)) cancelUnit(kernel, unit)
  return before - kernel._taken()
}

/** Ends the wheel. Returns the timers that were pending. O(n). */
export function stopWheel(wheel: Wheel): PendingTimer[] {
  const { _kernel: kernel } = wheel
  if (kernel._stopped) return []
  const left = pendingTimersOf(wheel)
  const owners = new Set(unitsOf(kernel).map((unit) => kernel._ownerOf(unit) ?? kernel._targetOf(unit)))
  stop(kernel, wheel._name)
  // A frozen handle cannot show that its wheel was stopped.
  for (const target of owners)
    if (typeof target === 'object' && !Object.isFrozen(target)) (target as Target)._forget()
  return left
}
