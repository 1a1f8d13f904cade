/**
 * The timer of a TimeoutMap: a unit whose callbacks are those of the map. In `stats()` it counts as an interval: it was set once, each
 * callback of the map is a run, and it is cancelled in the end. It lets the process end: lib/node/on-demand/map-timer.ts has one that can hold it.
 */
import { FOREVER, UNREFERENCED } from '../common/constants.js'
import type { Kernel } from '../kernel/kernel.js'
import type { Target } from '../kernel/target.js'
import { Entries, type OpenEntries } from '../map/entries.js'
import type { MapClient, MapTimer } from '../map/map-timer.js'
import { wheelOf } from './timer-wheel.js'
import { nowOf, type Wheel } from './wheel.js'

export class WheelMapTimer implements MapTimer, Target {
  /** 0: the timer is not set. */
  _unit = 0
  _state: number = UNREFERENCED
  readonly _kernel: Kernel
  readonly _isVirtual: boolean
  readonly _lag: MapTimer['_lag']
  private readonly _wheel: Wheel
  private readonly _client: MapClient

  constructor(client: MapClient, wheel: Wheel) {
    this._client = client
    this._wheel = wheel
    this._lag = wheel._lag
    this._kernel = wheel._kernel
    this._isVirtual = !!wheel._virtual || this._kernel._isFaked
  }

  _isStopped(): boolean {
    return this._kernel._stopped
  }

  _now(): number {
    return nowOf(this._wheel)
  }

  _set(ms: number): void {
    if (ms === FOREVER) this._clear()
    else if (this._unit) this._kernel._move(this._unit, ms)
    else this._unit = this._kernel._set(this, ms, !this._state)
  }

  _clear(): void {
    const unit = this._unit
    this._unit = 0
    if (unit) this._kernel._end(unit, !this._state)
  }

  _countRun(due?: number, _callback?: unknown): void {
    if (due === undefined) this._kernel._fired--
    else this._kernel._again++
  }

  _expire(unit: number): void {
    // An interrupted call has left this unit behind.
    if (unit !== this._unit) {
      this._countRun()
      return this._kernel._end(unit, !this._state)
    }
    // It stays due until the map sets or ends it.
    this._kernel._stay()
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

  declare readonly _shown: undefined
}

/** @param openTimer makes the timer of a map without the option `wheel` */
export const mapEntriesOn =
  (openTimer: (client: MapClient) => MapTimer): OpenEntries =>
  (options) =>
    new Entries(options, (client, wheel) =>
      wheel === undefined ? openTimer(client) : new WheelMapTimer(client, wheelOf(wheel)),
    )
