/**
 * The timer of a TimeoutMap on workerd that has no wheel. The requests share such a map, and none of them lives as long as its
 * entries. So each access ends what has expired by then, and the map needs a timer only for `onExpire`:
 *
 * - The request that sets the first entry to expire also sets a timer of the host, and so do later requests that use the map,
 *   because the first one can have ended. Only the last timer runs the map.
 * - If the map is due when a request uses it, it runs in microtasks of that request, which can end before any timer of its own.
 */
import { FOREVER } from '../common/forever.js'
import { Entries, type OpenEntries } from '../map/entries.js'
import type { MapClient, MapTimer } from '../map/map-timer.js'
import type { PageHost } from '../page/host.js'
import { timerOnWheel } from '../page/map-timer.js'
import type { Clock, Handle } from '../page/scheduler-types.js'
import { type Counts, RequestTimers } from './request-timers.js'

/**
 * A request sets the timer again after this part of the time that was left. Then requests that alternate leave few timers behind:
 * none of them can clear the timer of another.
 */
const PART = 1 / 16

/**
 * Returns the time since the first request, in milliseconds. The host's clock stands at 0 before the first request, so entries
 * that were set before count from there. Two requests can see different times, and this clock never goes back.
 */
export function clockOfRequests(now: () => number): Clock {
  let origin = 0
  let latest = 0
  return () => {
    const time = now()
    origin ||= time
    latest = Math.max(latest, time - origin)
    return latest
  }
}

class RequestMapTimer implements MapTimer {
  readonly _stopped = false
  readonly _virtual = undefined
  private readonly _client: MapClient
  private readonly _clock: Clock
  private readonly _counts: Counts
  private readonly _timers: RequestTimers
  private readonly _soon: (callback: () => void) => void
  /** The last reading of the clock. */
  private _read = 0
  /** When the map is due; Infinity: never. */
  private _due: number = FOREVER
  /** The map runs: entries that its callback sets wait for the timer of the host, because the clock stands while code runs. */
  private _isRunning = false
  /** When a request is to set the timer again. */
  private _again = 0
  /** The target of the timer of the host. */
  private readonly _alarm = { _unit: 0, _expire: (): void => this._runIfDue() }

  constructor(
    client: MapClient,
    clock: Clock,
    host: PageHost,
    counts: Counts,
    soon: RequestMapTimer['_soon'],
  ) {
    this._client = client
    this._clock = clock
    this._counts = counts
    this._timers = new RequestTimers(host, { _pending: 0, _ran: 0 }, clock)
    this._soon = soon
  }

  _now(): number {
    this._read = this._clock()
    if (this._due <= this._read) this._soon(this._runIfDue)
    else if (this._due < FOREVER && this._read >= this._again) this._setAlarm()
    return this._read
  }

  _set(ms: number): void {
    // Without a callback, each access ends the entries that have expired. That is soon enough.
    if (!this._client._onExpire) return
    this._due = this._read + (this._isRunning ? Math.max(ms, 1) : ms)
    this._setAlarm()
  }

  _clear(): void {
    this._due = FOREVER
    this._timers._cancel(this._alarm._unit)
  }

  _endRun(due?: number): void {
    if (due !== undefined) this._counts._ran++
  }

  private _setAlarm(): void {
    const left = this._due - this._read
    this._again = this._read + left * PART
    try {
      this._timers._schedule(this._alarm._unit, this._alarm as unknown as Handle, left)
    } catch {
      // Not in a request, or the request has too many timers. A later request sets the timer.
      this._again = 0
    }
  }

  private readonly _runIfDue = (): void => {
    if (this._due > this._clock()) return
    this._isRunning = true
    try {
      this._client._run()
    } finally {
      this._isRunning = false
    }
  }
}

/** @param soon runs a callback in a microtask */
export function requestMapEntriesOn(
  host: PageHost,
  counts: Counts,
  soon: (callback: () => void) => void,
): OpenEntries {
  const clock = clockOfRequests(host._now)
  return (options) =>
    new Entries(options, (client, wheel) =>
      wheel === undefined
        ? new RequestMapTimer(client, clock, host, counts, soon)
        : timerOnWheel(client, wheel),
    )
}
