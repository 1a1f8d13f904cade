/**
 * The timer of a TimeoutMap on Node: a record of the wheel whose callbacks are those of the map. In `stats()` it counts as an
 * interval: it was scheduled once, each callback of the map is a run, and it is cancelled in the end.
 */
import { wheelStopped } from '../../common/errors.js'
import { CLEAR } from '../../common/symbols.js'
import type { MapClient, MapTimer } from '../../map/map-timer.js'
import { countEntry } from '../scheduler/runs.js'
import type { Scheduler } from '../scheduler/scheduler.js'
import { type Handle, NOT_REFRESHABLE } from '../scheduler/timer-target.js'

export class NodeMapTimer implements MapTimer, Handle {
  readonly _ms = 0
  readonly _order = NOT_REFRESHABLE
  readonly isHidden = true
  readonly _virtual: { readonly time: number } | undefined
  readonly #scheduler: Scheduler
  readonly #client: MapClient
  readonly #holds: boolean
  /** The record; 0: the timer is not set. */
  #unit = 0
  /** Whether the record keeps the process alive, and whether it should. */
  #isReferenced = false
  #isHeld = false

  /** @param holds whether the map keeps the process alive */
  constructor(client: MapClient, scheduler: Scheduler, holds: boolean) {
    this.#client = client
    this.#holds = holds
    this.#scheduler = scheduler
    this._virtual = scheduler.backend.virtual
  }

  get _stopped(): boolean {
    return this.#scheduler.stopped
  }

  _now(): number {
    // Virtual time is exact in milliseconds, and in ticks it is not.
    return this._virtual === undefined ? this.#scheduler.host.now() : this._virtual.time
  }

  _set(ms: number): void {
    const scheduler = this.#scheduler
    if (scheduler.stopped) throw wheelStopped()
    if (this.#unit === 0) {
      this.#unit = scheduler.schedule(0, this, ms)
      this.#isReferenced = true
    } else scheduler.schedule(this.#unit, undefined, ms)
    this._hold(this.#isHeld)
  }

  _clear(): void {
    const scheduler = this.#scheduler
    const unit = this.#unit
    if (unit === 0 || scheduler.stopped) return
    scheduler.cancel(unit, this.#isReferenced)
    this.#unit = 0
  }

  _hold(isNeeded: boolean): void {
    const scheduler = this.#scheduler
    const isHeld = isNeeded && this.#holds
    this.#isHeld = isHeld
    if (this.#unit === 0 || scheduler.stopped || this.#isReferenced === isHeld) return
    if (isHeld) scheduler.reference()
    else scheduler.unreference()
    this.#isReferenced = isHeld
  }

  _endRun(due?: number): void {
    const scheduler = this.#scheduler
    // Without a callback there is nothing that the program has to run before the next one.
    if (due === undefined) scheduler.isUndrained = false
    else countEntry(scheduler, scheduler.isWatched ? this.#tickOf(due) : 0)
  }

  /** The tick at whose end a time of the map has come. */
  #tickOf(time: number): number {
    const scheduler = this.#scheduler
    const isReal = this._virtual === undefined
    const ms = isReal ? scheduler.now() * scheduler.tick - (scheduler.host.now() - time) : time
    return Math.ceil(scheduler.ticksOf(ms))
  }

  expire(): void {
    this.#client._run()
  }

  set [CLEAR](_wheelIsCleared: true) {
    this.#client._wheelCleared()
    this._clear()
  }

  get invocation(): Handle['invocation'] {
    return { callback: this.#client._onExpire as never, args: [], hasRef: this.#isReferenced }
  }
}
