/** The state of handles, their numbers, and their types within the package. */
import type { Timeout } from '../../api/timeout.js'
import type { Clearable } from '../../common/symbols.js'
import type { Kernel } from '../../kernel/kernel.js'
import type { SteadyRuns } from '../../wheel/steady-runs.js'
import type { Host } from '../host/node-host.js'

// Bits of the state of a handle, beside those of common/constants.ts. They are not in handle.ts, because the bundler writes only imported
// constants as numbers.
/** It has run or was cleared, and its end was reported to the async hooks. */
export const DESTROYED = 8
/** It has an {@link Extra}: more is to do when it is cleared. */
export const HAS_EXTRA = 16

/** The rare parts of a handle. Most handles have none of them. */
export interface Extra {
  /** The number of the handle: see {@link numbered}; 0 until it is first read. */
  id: number
  /** The runs of an interval that does not drift. The first argument of its callback is the number of missed runs. */
  steady: SteadyRuns | undefined
}

export type TimeoutCallback = (this: Timeout, ...args: never[]) => unknown

/** A handle as the other modules of the package see it. */
export interface WheelTimeout extends Timeout, Clearable {}

/** @param kernel undefined: the class has that of the shared wheel */
export type TimeoutConstructor = new (
  kernel: Kernel | undefined,
  callback: TimeoutCallback,
  delay: unknown,
  bits: number,
  args?: unknown[],
  options?: { readonly delay: number; readonly drift: boolean } | undefined,
) => WheelTimeout

/**
 * The pending handles with a number. `+timeout` gives a handle a number, and `clearTimeout` takes that number instead of the handle. A
 * number is valid from its first read until the timer is over.
 */
export const numbered = new Map<number, WheelTimeout>()

/** Clears a timer by a number or a numeric string. Any other value goes to the host. Numbers of old timers are ignored. */
export function clearOther(timeout: unknown, host: Host): void {
  const isNumber = typeof timeout === 'number' || typeof timeout === 'string'
  // As a property key, not as a number: ' 7' names no timer.
  const own = isNumber && `${Number(timeout)}` === `${timeout}` ? numbered.get(Number(timeout)) : undefined
  if (own === undefined || own._destroyed) host.clearTimeout(timeout)
  else own.close()
}
