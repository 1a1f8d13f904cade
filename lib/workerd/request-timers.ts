/**
 * Timers on workerd, where a timer of the host belongs to the request that set it: it runs in that request, with its async context,
 * and ends with it. One timer of the host for the timers of all requests would run callbacks in the wrong request, and the host
 * would end every request that waits for another. So each timer here is a timer of the host, set by the caller's own request.
 *
 * The host ignores a request that clears the timer of another. So a timer of the host runs its target only if it is the last one
 * that was set for it.
 */
import type { PageStats } from '../api/stats.js'
import { MAX_TIMEOUT } from '../page/drivers/host-alarm.js'
import type { HostTimer, PageHost } from '../page/host.js'
import type { Clock, Handle, TimerScheduler, TimerTarget } from '../page/scheduler-types.js'

/** The counts of all timers of the program. */
export interface Counts {
  _pending: number
  _ran: number
}

interface RequestTimer {
  readonly _target: Handle
  /** On the clock of the timers. */
  _due: number
  _hostTimer: HostTimer | undefined
  /** The callback of the last timer of the host; undefined: the timer has ended. */
  _fire: (() => void) | undefined
}

/**
 * The scheduler of one handle, or of one group. It refers to no other, so the timers of a request that has ended are garbage. The
 * exception is a handle whose number was read: the table of numbers keeps it (page/timeout.ts).
 */
export class RequestTimers implements TimerScheduler {
  readonly _clock: Clock
  /** Nothing counts it here. */
  _moved = 0
  private readonly _host: PageHost
  private readonly _counts: Counts
  private readonly _timers = new Map<number, RequestTimer>()
  private _lastUnit = 0

  constructor(host: PageHost, counts: Counts, clock: Clock = host._now) {
    this._host = host
    this._counts = counts
    this._clock = clock
  }

  /** @throws the error of the host, if this is not in a request or the request has too many timers */
  _schedule(
    unit: number,
    target: TimerTarget | undefined,
    ms: number,
    _argument?: unknown,
    started?: number,
  ): number {
    const now = this._clock()
    const due = (started ?? now) + Math.max(ms, 1)
    const former = this._timers.get(unit)
    const timer: RequestTimer = former ?? {
      _target: target as Handle,
      _due: due,
      _hostTimer: undefined,
      _fire: undefined,
    }
    const fire = (): void => {
      if (timer._fire !== fire) return
      const left = timer._due - this._clock()
      // The host has not taken the whole delay.
      if (left > 0) timer._hostTimer = this._start(fire, left)
      else timer._target._expire()
    }
    // First, because a request has a limited number of timers.
    if (former) this._host._clearTimeout(former._hostTimer)
    timer._hostTimer = this._start(fire, due - now)
    timer._due = due
    timer._fire = fire
    if (former) return unit
    this._timers.set(++this._lastUnit, timer)
    this._counts._pending++
    timer._target._unit = this._lastUnit
    return this._lastUnit
  }

  _cancel(unit: number): void {
    const timer = this._timers.get(unit)
    if (!timer) return
    this._host._clearTimeout(timer._hostTimer)
    this._forget(unit, timer)
  }

  _endDue(unit: number, repeats?: number): void {
    this._counts._ran++
    if (!repeats) this._forget(unit, this._timers.get(unit)!)
  }

  _targetOf(unit: number): Handle | undefined {
    return this._timers.get(unit)?._target
  }

  _due(unit: number): number {
    return this._timers.get(unit)!._due
  }

  _readClock(): number {
    return this._clock()
  }

  private _start(fire: () => void, ms: number): HostTimer {
    return this._host._setTimeout(fire, Math.min(Math.max(Math.ceil(ms), 0), MAX_TIMEOUT))
  }

  private _forget(unit: number, timer: RequestTimer): void {
    this._timers.delete(unit)
    timer._fire = undefined
    this._counts._pending--
    // Last, because it throws if the program has frozen the handle.
    timer._target._unit = 0
  }
}

/** Makes `stats` of the timers of all requests. */
export const requestStatsOn = (counts: Counts): (() => PageStats) =>
  function stats() {
    return { pending: counts._pending, fired: counts._ran, bytes: 0 }
  }
