/** Makes the time of a test. */
import { checkRest, checkTime } from './checks.js'
import { outOfRange } from './common/errors.js'
import { timeOfDay } from './common/time.js'
import type { ManualClockFunction } from './common/types.js'
import { ManualClock } from './engine/clock.js'

export const manualClock: ManualClockFunction = (start: unknown = timeOfDay(), ...rest: unknown[]) => {
  checkRest('manualClock', 1, rest)
  const time = checkTime('start', start)
  if (Number(start) < 0) throw outOfRange('start', 'a time from 1970 on', Number(start))
  return new ManualClock(time)
}
