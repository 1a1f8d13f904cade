/** The clock of a process in which time passes only while it waits: see virtual_clock.cc. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const CLOCK = join(__dirname, '..', '..', 'build/virtual-clock/virtual_clock.so')

/** A clock with fractions of milliseconds: each look at it takes 20 microseconds. */
export function fineClock(): Record<string, string> {
  return { ...virtualClock(), TIMEOUT_WHEEL_READ_NS: '20000' }
}

/**
 * The environment that gives it to a process.
 *
 * @param stalls from and to when, in milliseconds, the process is as if it were not run
 */
export function virtualClock(stalls: readonly (readonly [number, number])[] = []): Record<string, string> {
  if (!existsSync(CLOCK)) throw new Error(`${CLOCK} is missing: node .tooling/virtual-clock.mjs makes it`)
  // Behind what is preloaded already: sanitizers must be first.
  const preloaded = [process.env.LD_PRELOAD, CLOCK].filter(Boolean).join(' ')
  return { LD_PRELOAD: preloaded, TIMEOUT_WHEEL_STALLS: stalls.map((stall) => stall.join('-')).join() }
}
