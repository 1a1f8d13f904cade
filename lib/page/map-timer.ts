/** The timer of a TimeoutMap in a page: a record of the wheel whose callbacks are those of the map. */
import { wheelStopped } from '../common/errors.js'
import type { MapClient, MapTimer, OpenMapTimer } from '../map/map-timer.js'
import { notAWheel } from '../map/options.js'
import type { Handle, Scheduler } from './scheduler-types.js'

/** The part of a wheel that a map needs. `TimerWheel` of page/timers.ts has it. */
interface Wheel {
  readonly _scheduler?: Scheduler
  /** In virtual time: the time in milliseconds. */
  readonly _time?: () => number
}

class PageMapTimer implements MapTimer, Handle {
  _unit = 0
  readonly _isHidden = true
  readonly _virtual: (() => number) | undefined
  private readonly _scheduler: Scheduler
  private readonly _client: MapClient
  declare readonly _callback: () => void
  declare readonly _args: unknown[]

  constructor(client: MapClient, scheduler: Scheduler, time?: () => number) {
    this._client = client
    this._scheduler = scheduler
    this._virtual = time
  }

  get _stopped(): boolean {
    return !!this._scheduler._stopped
  }

  _now(): number {
    const { _scheduler: scheduler } = this
    return this._virtual ? this._virtual() : scheduler._clock() * (scheduler._tick ?? 1)
  }

  _set(ms: number): void {
    if (this._stopped) throw wheelStopped()
    this._scheduler._schedule(this._unit, this, ms)
  }

  _clear(): void {
    if (this._unit && !this._stopped) this._scheduler._cancel(this._unit)
  }

  _hold(): void {}

  _endRun(hasCallback: boolean): void {
    if (hasCallback) this._scheduler._ran++
  }

  _expire(): void {
    this._client._run()
  }

  // Only an interval and a known number need these.
  _end(): void {}
  _noteNumber(): void {}
}

/** Opens the timer of a map that has a wheel. @throws TypeError if that is not a wheel */
export const timerOnWheel: OpenMapTimer = (client, wheel) => {
  const { _scheduler: scheduler, _time: time } = Object(wheel) as Wheel
  if (!scheduler?._schedule) throw notAWheel(wheel)
  return new PageMapTimer(client, scheduler, time)
}

/** @param openShared opens the shared wheel */
export const mapTimersOn =
  (openShared: () => Scheduler): OpenMapTimer =>
  (client, wheel) =>
    wheel === undefined ? new PageMapTimer(client, openShared()) : timerOnWheel(client, wheel)
