/** What a timer is set with: a delay, coerced as by Node and with its warnings, or options instead of a delay. */
import { refuseOptions } from '../../common/checks.js'
import { MAX_TIMEOUT } from '../../common/constants.js'
import { isPatched } from '../../common/patch-globals.js'
import type { SteadyRuns } from '../../common/steady-runs.js'
import type { Host } from '../host/node-host.js'
import { NOT_REFRESHABLE, NOT_REFRESHED } from '../scheduler/timer-target.js'
import type { WheelTimeout } from './state.js'

/** A delay that was checked, and is not coerced. */
export class ExactDelay {
  readonly ms: number

  constructor(ms: number) {
    this.ms = ms
  }
}

let warnedNegative = false
let warnedNaN = false

/**
 * Returns whole milliseconds from 1 to 2^31 - 1. Cuts off fractions. An `ExactDelay` stays as it is.
 *
 * @throws TypeError for an object with a delay, but not under `timeout-wheel/register`: there this is the `setTimeout` of all packages
 */
export function coerceDelay(delay: unknown, host: Host): number {
  if (delay instanceof ExactDelay) return delay.ms
  // A bigint or a symbol throws here, as it does in Node.
  const ms = delay === undefined ? 1 : (delay as number) * 1
  if (ms >= 1 && ms <= MAX_TIMEOUT) return Math.trunc(ms)
  if (Number.isNaN(ms) && !isPatched(globalThis)) refuseOptions(delay)
  if (ms > MAX_TIMEOUT) {
    host.warn(
      `${ms} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`,
      'TimeoutOverflowWarning',
    )
  } else if (ms < 0 && host.warnsOfBadDelay && !warnedNegative) {
    warnedNegative = true
    host.warn(`${ms} is a negative number.\nTimeout duration was set to 1.`, 'TimeoutNegativeWarning')
  } else if (Number.isNaN(ms) && host.warnsOfBadDelay && !warnedNaN) {
    warnedNaN = true
    host.warn(`${ms} is not a number.\nTimeout duration was set to 1.`, 'TimeoutNaNWarning')
  }
  return 1
}

/** The order number of a timer that was set. The log of refreshes counts whole milliseconds, and does not reach far. */
export const orderOf = (ms: number): number => (ms >= 1 && (ms | 0) === ms ? NOT_REFRESHED : NOT_REFRESHABLE)

/** Lets a new timer have an exact delay, and an interval not drift. Returns it. */
export function withOptions(
  timeout: WheelTimeout,
  delay: number,
  steady: SteadyRuns | undefined,
): WheelTimeout {
  timeout._order = orderOf(delay)
  if (steady !== undefined) timeout._addExtra().steady = steady
  return timeout
}
