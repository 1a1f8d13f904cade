/**
 * The timer of a TimeoutMap in a page: a record of the wheel whose callbacks are those of the map. In `stats()` it counts as an
 * interval.
 */
import { schedulerOf } from '../common/timer-wheel.js'
import type { VirtualTime } from '../common/virtual-time.js'
import { Entries, type OpenEntries } from '../map/entries.js'
import type { MapClient, MapTimer } from '../map/map-timer.js'
import type { Handle, Scheduler } from './scheduler-types.js'

/** Without the methods of a handle for intervals and for numbers, which the scheduler does not call for it. */
class PageMapTimer implements MapTimer, Omit<Handle, '_end' | '_keepNumber'> {
  declare _unit: number
  readonly _virtual: VirtualTime | undefined
  private readonly _scheduler: Scheduler
  private readonly _client: MapClient
  declare readonly _callback: () => void
  declare readonly _args: unknown[]

  constructor(client: MapClient, scheduler: Scheduler) {
    this._client = client
    this._scheduler = scheduler
    this._virtual = scheduler._virtual
  }

  get _stopped(): unknown {
    return this._scheduler._stopped
  }

  _now(): number {
    const { _scheduler: scheduler } = this
    return this._virtual ? this._virtual._time() : scheduler._clock() * (scheduler._tick ?? 1)
  }

  _lag(): number {
    const { _scheduler: scheduler } = this
    return scheduler._lag() * (scheduler._tick ?? 1)
  }

  _set(ms: number): void {
    this._scheduler._schedule(this._unit, this as never, ms)
  }

  _clear(): void {
    if (this._unit && !this._stopped) this._scheduler._cancel(this._unit)
  }

  _endRun(due?: number): void {
    if (due === undefined) return
    const { _scheduler: scheduler } = this
    scheduler._ran++
    scheduler._again++
  }

  _expire(): void {
    this._client._run()
  }

  _cancel(): void {
    this._client._wheelCleared()
    this._clear()
  }
}

/** Opens the timer of a map that has a wheel. @throws TypeError if that is not a wheel */
export const timerOnWheel = (client: MapClient, wheel: unknown): MapTimer =>
  new PageMapTimer(client, schedulerOf(wheel))

/** @param openShared opens the shared wheel */
export const mapEntriesOn =
  (openShared: () => Scheduler): OpenEntries =>
  (options) =>
    new Entries(options, (client, wheel) =>
      wheel === undefined ? new PageMapTimer(client, openShared()) : timerOnWheel(client, wheel),
    )
