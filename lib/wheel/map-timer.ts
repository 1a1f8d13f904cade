/**
 * The timer of a TimeoutMap: a unit whose callbacks are those of the map. In `stats()` it counts as an interval: it was set once, each
 * callback of the map is a run, and it is cancelled in the end.
 */
import { UNREFERENCED } from '../common/constants.js'
import { wheelStopped } from '../common/errors.js'
import { reference, unreference } from '../kernel/references.js'
import type { Target } from '../kernel/target.js'
import { Entries, type OpenEntries } from '../map/entries.js'
import type { MapClient, MapTimer } from '../map/map-timer.js'
import { wheelOf } from './timer-wheel.js'
import { nowOf, type Wheel } from './wheel.js'

export class WheelMapTimer implements MapTimer, Target {
  /** 0: the timer is not set. */
  private _unit = 0
  /** UNREFERENCED: the unit lets the process end. 0: it does not. */
  _state = 0
  /** Whether a unit that is set next keeps the process alive. */
  private _isHeld = false
  _last = { callback: undefined as unknown, due: 0 }
  private readonly _wheel: Wheel
  private readonly _client: MapClient
  private readonly _holds: boolean

  /** @param holds whether the map keeps the process alive */
  constructor(client: MapClient, wheel: Wheel, holds: boolean) {
    this._client = client
    this._wheel = wheel
    this._holds = holds
  }

  get _virtual(): unknown {
    return this._wheel._virtual || this._wheel._kernel._isFaked
  }

  get _stopped(): boolean {
    return this._wheel._kernel._stopped
  }

  _now(): number {
    return nowOf(this._wheel)
  }

  _lag(): number {
    return this._wheel._lag?.() ?? 0
  }

  _set(ms: number): void {
    const { _kernel: kernel } = this._wheel
    if (kernel._stopped) throw wheelStopped()
    if (this._unit) kernel._move(this._unit, ms)
    else {
      this._state = this._isHeld ? 0 : UNREFERENCED
      this._unit = kernel._set(this, ms, this._isHeld)
    }
  }

  _clear(): void {
    const unit = this._unit
    this._unit = 0
    if (unit) this._wheel._kernel._end(unit, !this._state)
  }

  _hold(isNeeded: boolean): void {
    const { _kernel: kernel } = this._wheel
    const isHeld = isNeeded && this._holds
    this._isHeld = isHeld
    if (!this._unit || !this._state === isHeld) return
    if (isHeld) reference(kernel, this)
    else unreference(kernel, this)
  }

  _endRun(due?: number, callback?: unknown): void {
    const { _kernel: kernel } = this._wheel
    if (due === undefined) kernel._fired--
    else {
      kernel._again++
      this._last = { callback, due: due + kernel._origin }
    }
  }

  _expire(unit: number): void {
    // An interrupted call has left this unit behind.
    if (unit !== this._unit) {
      this._endRun()
      return this._wheel._kernel._end(unit, !this._state)
    }
    // It stays due until the map sets or ends it.
    this._wheel._kernel._stay()
    this._client._run()
  }

  _cancel(): void {
    this._client._wheelCleared()
    this._clear()
  }

  _forget(): void {
    this._unit = 0
    this._client._wheelCleared()
  }

  readonly _shown = undefined
}

/** @param openShared opens the shared wheel */
export const mapEntriesOn =
  (openShared: () => Wheel): OpenEntries =>
  (options) =>
    new Entries(
      options,
      (client, wheel, holds) =>
        new WheelMapTimer(client, wheel === undefined ? openShared() : wheelOf(wheel), holds),
    )
