/** A virtual clock for processes: time passes only while the process waits. See virtual_clock.cc. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const CLOCK = join(__dirname, '..', '..', 'build/virtual-clock/virtual_clock.so')

/** A virtual clock with fractions of milliseconds: each reading takes 20 microseconds. */
export function fineClock(): Record<string, string> {
  return { ...virtualClock(), TIMEOUT_WHEEL_READ_NS: '20000' }
}

/** From one millisecond of the virtual clock to another. */
type Period = readonly [number, number]

const textOf = (periods: readonly Period[]): string => periods.map((period) => period.join('-')).join()

/** A virtual clock for a process that is stopped in these periods, whether it sleeps or runs JavaScript. */
export function stoppedClock(stops: readonly Period[]): Record<string, string> {
  return { ...virtualClock(), TIMEOUT_WHEEL_STOPS: textOf(stops) }
}

/** The environment of a process with the virtual clock. If it sleeps into a stall, it wakes at the end of the stall. */
export function virtualClock(stalls: readonly Period[] = []): Record<string, string> {
  if (!existsSync(CLOCK)) throw new Error(`${CLOCK} is missing: node .tooling/prepare.mjs makes it`)
  // After other preloaded libraries: sanitizers must be first.
  const preloaded = [process.env.LD_PRELOAD, CLOCK].filter(Boolean).join(' ')
  return { LD_PRELOAD: preloaded, TIMEOUT_WHEEL_STALLS: textOf(stalls) }
}
