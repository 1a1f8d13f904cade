/** The interfaces of a page's scheduler: openers, handles, drivers and ids see these. */
import type { VirtualTime, VirtualWheel } from '../common/virtual-time.js'
import type { WasmExports } from '../memory/instantiate-wasm.js'
import type { Limits } from './message-tasks.js'

export type OpenCore = () => WasmExports
/** Returns the time since the wheel was opened, in ticks. */
export type Clock = () => number

export interface Handle {
  /** The record's unit; 0 while the timer has none. The scheduler writes it together with the record. */
  _unit: number
  readonly _callback: (...args: never[]) => unknown
  readonly _args: unknown[]
  /** Calls {@link Scheduler._endDue}, then the callback, then {@link _end}. */
  _expire(): void
  /** Ends the run of the callback: an interval is scheduled again. @param started in ticks; default: now */
  _end(started?: number): void
  /** Ends the timer for `clear()`, if that needs more than {@link Scheduler._cancel}. */
  _cancel?(): void
  /** Lets `clearTimeout` find the handle by its number while the timer is pending or runs. */
  _keepNumber(): void
}
export type Callback = (argument: unknown) => unknown
export type TimerTarget = Callback | Handle

/** The timers of one wheel. The driver moves it as a {@link VirtualWheel}, in real time too. */
export interface Scheduler extends VirtualWheel {
  /** Throws the error of a stopped wheel; undefined: the wheel was not stopped. The shared wheel never is. */
  _stopped?: () => never
  /** The timers that were set, and the calls of callbacks. */
  _set: number
  _ran: number
  /** The runs after which a timer went on: of intervals and of maps. */
  _again: number
  /** The time of a wheel with the driver `'manual'`. */
  _virtual?: VirtualTime
  /** Only of a wheel that a program has made. */
  _limits?: Limits
  _words(): Int32Array
  readonly _clock: Clock
  /** The most by which the true time between two readings of the clock can be shorter than their difference, in ticks. */
  readonly _lag: Clock
  /** The length of a tick in milliseconds; undefined: 1. */
  _tick?: number
  /** Converts ticks to milliseconds; undefined: a tick is 1 ms. */
  _msOf?: (ticks: number) => number
  /**
   * Schedules a timer, or moves a pending one: it is due `ms` milliseconds from now, and runs last of its tick. O(1).
   *
   * @param unit the record of a pending timer; 0: a new timer
   * @param target the callback or handle of a new timer
   * @param started the start of the delay, in ticks; default: now
   * @returns the record's unit
   */
  _schedule: (
    unit: number,
    target: TimerTarget | undefined,
    ms: number,
    argument?: unknown,
    started?: number,
  ) => number
  /** Ends a timer. Its record becomes free, and an expiry that is under way skips it. O(1). */
  _cancel: (unit: number) => void
  /** Does the same for the timer whose callback {@link _step} is about to run. An interval keeps its record. */
  _endDue: (unit: number, repeats?: number) => void
  _targetOf(unit: number): TimerTarget | undefined
  /** The argument of a target that is a function. */
  _argumentOf(unit: number): unknown
  /** The time at which a pending timer is due, in ticks. Called after {@link _readClock}. */
  _due(unit: number): number
  /** Reads the clock, in ticks. */
  _readClock(): number
  /** The records of the pending timers, in the order in which they were set. */
  _units(): number[]
  /** The number of records that have a timer: the pending ones, and the interval whose callback runs. */
  _taken(): number
  /** Ends all timers. @param stopped throws in each later call of {@link _schedule} */
  _end(stopped: () => never): void
  /** Ends the driver. */
  _close?: () => void
}

/** The part of a scheduler that handles, promises, signals and groups use. lib/workerd has another implementation of it. */
export type TimerScheduler = Pick<
  Scheduler,
  '_stopped' | '_msOf' | '_clock' | '_schedule' | '_cancel' | '_endDue' | '_targetOf' | '_due' | '_readClock'
>
