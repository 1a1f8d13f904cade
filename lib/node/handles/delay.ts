/** The delay of `setTimeout` and `setInterval`, coerced as by Node and with its warnings. */
import { refuseOptions } from '../../common/checks.js'
import { MAX_TIMEOUT } from '../../common/constants.js'
import { isPatched } from '../../common/patch-globals.js'
import type { Host } from '../host/node-host.js'

let warnedNegative = false
let warnedNaN = false

/** Whether a delay needs no coercion. */
export function isUsual(delay: unknown): delay is number {
  return typeof delay === 'number' && (delay | 0) === delay && delay > 0
}

/**
 * Returns whole milliseconds from 1 to 2^31 - 1. Cuts off fractions.
 *
 * @throws TypeError for an object with a delay, but not under `timeout-wheel/register`: there this is the `setTimeout` of all packages
 */
export function coerceDelay(delay: unknown, host: Host): number {
  if (isUsual(delay)) return delay
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
