/** A virtual clock for processes: time passes only while the process waits. See virtual_clock.cc. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const CLOCK = join(__dirname, '..', '..', 'build/virtual-clock/virtual_clock.so')

/** A virtual clock with fractions of milliseconds: each reading takes 20 microseconds. */
export function fineClock(): Record<string, string> {
  return { ...virtualClock(), TIMEOUT_WHEEL_READ_NS: '20000' }
}

/** The environment of a process with the virtual clock. In a stall, from one millisecond to another, it does not run. */
export function virtualClock(stalls: readonly (readonly [number, number])[] = []): Record<string, string> {
  if (!existsSync(CLOCK)) throw new Error(`${CLOCK} is missing: node .tooling/prepare.mjs makes it`)
  // After other preloaded libraries: sanitizers must be first.
  const preloaded = [process.env.LD_PRELOAD, CLOCK].filter(Boolean).join(' ')
  return { LD_PRELOAD: preloaded, TIMEOUT_WHEEL_STALLS: stalls.map((stall) => stall.join('-')).join() }
}
