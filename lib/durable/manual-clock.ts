/** Makes the time of a test. */
import type { ManualClockFunction } from './common/types.js'
import { ManualClock } from './engine/clock.js'
import { argumentsOf } from './options.js'

export const manualClock: ManualClockFunction = (...args: unknown[]) =>
  new ManualClock(argumentsOf('manualClock', args).start)
