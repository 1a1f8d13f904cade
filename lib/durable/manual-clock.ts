/** Makes the time of a test. */
import { checkRest, checkTime } from './checks.js'
import { timeOfDay } from './common/time.js'
import type { ManualClockFunction } from './common/types.js'
import { ManualClock } from './engine/clock.js'

export const manualClock: ManualClockFunction = (start: unknown = timeOfDay(), ...rest: unknown[]) => {
  checkRest('manualClock', 1, rest)
  return new ManualClock(checkTime('start', start))
}
