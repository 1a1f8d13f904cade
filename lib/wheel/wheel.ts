/** One wheel, for the features above the kernel: a kernel, and what its host and its options add. */

import type { WheelStats } from '../api/stats.js'
import type { Kernel } from '../kernel/kernel.js'
import type { VirtualTime } from './virtual-time.js'

/** How long callbacks run before the event loop does other work. Both can change at any time. */
export interface Limits {
  /** Milliseconds. 0: a single callback. */
  _budget: number
  /** How often callbacks have run for at least twice the budget. */
  _overruns: number
}

export interface Wheel {
  readonly _kernel: Kernel
  readonly _limits: Limits
  readonly _name: string
  /** The time of a wheel that moves only in virtual time. */
  readonly _virtual?: VirtualTime | undefined
  /** The most milliseconds by which the true time between two readings of the clock can be shorter than their difference. */
  readonly _lag?: (() => number) | undefined
  /** What a wheel on Node measures of its callbacks. */
  _measured?(): Pick<WheelStats, 'lateness' | 'slowest'>
}

/** Milliseconds since the wheel was made. */
export const nowOf = ({ _kernel, _virtual }: Wheel): number =>
  _virtual ? _virtual._time() : _kernel._readClock() - _kernel._origin
