/** The scheduler behind a wheel. */
import { notAWheel } from '../common/errors.js'
import type { Scheduler } from './scheduler/scheduler.js'

/** The property of a wheel with its scheduler. */
export const SCHEDULER: unique symbol = Symbol('timeout-wheel.scheduler')

/** The scheduler of a wheel. @throws TypeError if it is not a wheel */
export function schedulerOf(wheel: unknown): Scheduler {
  let scheduler: Scheduler | undefined
  try {
    scheduler = (wheel as { [SCHEDULER]?: Scheduler } | null)?.[SCHEDULER]
  } catch {
    // It inherits from the class, and is no wheel.
  }
  if (scheduler === undefined) throw notAWheel(wheel)
  return scheduler
}
