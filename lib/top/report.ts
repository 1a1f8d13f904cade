/**
 * What the agent in a program reports to `timeout-wheel top`: a line of JSON once a second, one for each byte that `top` sends,
 * and one when the program ends.
 */
import type { Lateness, WheelStats } from '../api/stats.js'

export interface WheelReport extends Readonly<WheelStats> {
  /** The same in all reports. */
  readonly id: number
  readonly name: string
}

export interface CallbackReport {
  readonly name: string
  readonly count: number
  /** Milliseconds. */
  readonly total: number
  readonly max: number
}

export interface Report {
  /** Nothing runs in the program after this report. */
  readonly isLast: boolean
  /** Milliseconds since the program started. */
  readonly at: number
  readonly wheels: readonly WheelReport[]
  /** Pairs of a delay in milliseconds and the number of pending timers that have it. */
  readonly delays: readonly (readonly [number, number])[]
  /** The callbacks since the last report. */
  readonly lateness: Lateness
  /** The callbacks that took longest since the program started. */
  readonly callbacks: readonly CallbackReport[]
}
