/** The target of a timer: its record runs a callback or a handle. */
import type { PendingTimer } from '../../api/wheel.js'
import { CLEAR } from '../../common/symbols.js'

/** A timer with a handle. */
export interface Handle {
  /** The delay in milliseconds. */
  readonly _ms: number
  /**
   * The order number of the last refresh, if the record does not have its deadline yet (refreshes.ts); `NOT_REFRESHED` if
   * there is none; `NOT_REFRESHABLE` if the timer is not pending, or its deadline does not follow from its delay.
   */
  _order: number
  /** Takes the record out of the scheduler and runs the callback. */
  expire(): void
  /** What `stop()` of the wheel returns for the timer. */
  readonly invocation: Omit<PendingTimer, 'remaining'>
  /** A write ends all timers behind the record. */
  set [CLEAR](clear: true)
  /** Called when the wheel is stopped. */
  detach?(): void
  /** Whether it is the timer of a map: `stop()` does not return it. */
  readonly isHidden?: boolean
}

/** A handle of the program. */
export interface ProgramHandle extends Handle {
  /** Whether it is an interval that is scheduled again after the callback that is running. */
  readonly keepsRoom: boolean
}

/** A group: one handle for all of its members. */
export interface GroupRecord extends Handle {
  readonly isGroup: true
  readonly size: number
  readonly delay: number
  /** The unit of the record; 0: it has none. */
  unit: number
  readonly keepsAlive: boolean
  unexpired(): UnexpiredMember<unknown>[]
  /** The places of the members, and the order number of each place. */
  places(): Iterable<number>
  readonly orders: Int32Array
  /** Called when the members get other order numbers. */
  forgetOrder(): void
  /** Forgets all members, because the wheel was stopped. */
  drop(): void
}

/** A member of a group that a stopped wheel returns. @property due in ticks */
export interface UnexpiredMember<T> {
  readonly item: T
  readonly due: number
  readonly order: number
}

export const NOT_REFRESHED = -1
export const NOT_REFRESHABLE = -2

export type Callback = (argument: unknown) => unknown
export type TimerTarget = Callback | Handle

export const isGroup = (target: TimerTarget): target is GroupRecord =>
  (target as Partial<GroupRecord>).isGroup === true
