/** The types of handles within the package. */
import type { Timeout } from '../../api/timeout.js'
import type { Clearable } from '../../common/handle-brand.js'
import type { Scheduler } from '../scheduler/scheduler.js'
import type { Handle } from '../scheduler/timer-target.js'
import type { Extra, ONCE, REPEATS } from './handle-state.js'

export type TimeoutCallback = (this: Timeout, ...args: never[]) => unknown

/** The handle's interface for the wheel. */
export interface WheelTimeout extends Timeout, Handle, Clearable {
  /** The rare parts of the handle, which it has from then on. */
  _addExtra(): Extra
  /** Ends a timer whose wheel was stopped. After an interruption it can be repeated. */
  detach(): void
}

export type TimeoutConstructor = new (
  callback: TimeoutCallback,
  delay: unknown,
  state: typeof ONCE | typeof REPEATS,
  args?: unknown[],
  scheduler?: Scheduler,
) => WheelTimeout
