/**
 * Numbers of handles. `+timeout` gives a handle a number, and `clearTimeout` takes that number instead of the handle. A
 * number is valid from its first read until the timer is over.
 */
import type { Host } from '../host/node-host.js'
import type { WheelTimeout } from './state.js'

/** The pending handles with a number. */
export const numbered = new Map<number, WheelTimeout>()

/** Clears a timer by a number or a numeric string. Any other value goes to the host. Numbers of old timers are ignored. */
export function clearOther(timeout: unknown, host: Host): void {
  const isNumber = typeof timeout === 'number' || typeof timeout === 'string'
  // As a property key, not as a number: ' 7' names no timer.
  const own = isNumber && `${Number(timeout)}` === `${timeout}` ? numbered.get(Number(timeout)) : undefined
  if (own === undefined || own._destroyed) host.clearTimeout(timeout)
  else own.close()
}
