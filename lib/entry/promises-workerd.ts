/** `timeout-wheel/promises` on workerd: the functions of `node:timers/promises`, on the shared wheel. */
import { promises } from './workerd.js'

export type {
  IntervalIterator,
  PromisedImmediate,
  PromisedInterval,
  PromisedTimeout,
  Scheduler,
  TimerOptions,
} from '../api/timers-promises.js'

export const { setTimeout, setImmediate, setInterval, scheduler } = promises
