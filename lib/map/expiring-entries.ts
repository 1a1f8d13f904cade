/**
 * Expiry of the entries of a TimeoutMap.
 *
 * **The clock** is read once a turn, and after 64 calls. All entries that have expired by then end at once, so no call has to look at
 * a deadline. An entry that was set or touched since the last reading is in `_touched`, and its ttl counts from the next one: it is never
 * early. A microtask makes that reading if no call does.
 *
 * **Expired keys** stay in the Map without a value. They leave it after a while, or all together with the last entry: a mass of
 * entries that expires needs no deletions. With `onExpire`, keys leave at once, and the places wait for their callbacks.
 *
 * **The timer** ends entries in slices, and runs one callback at a time. So the wheel's budget holds, and a callback that throws is
 * treated as that of any timer.
 */
import { FOREVER } from '../common/forever.js'
import { DEAD } from './deadlines.js'
import { Entries, KEPT } from './entries.js'

/** Milliseconds after which a requested microtask counts as lost: a `vm` timeout drops microtasks. */
const LOST = 1000
/** The entries that one run of the timer ends, and the keys that it looks at to find the expired ones. */
const SLICE = 256
/** With fewer places than this, the deletion of single keys is cheaper than a new Map. */
const FEW = 64

const resolved = /* @__PURE__ */ Promise.resolve()

export class ExpiringEntries<K, V> extends Entries<K, V> {
  /** When the microtask was requested; `-FOREVER`: it was not. */
  _asked = -FOREVER

  _read(): void {
    this._now = this._timer._now()
    if (this._shared > 0 && this._now - this._asked >= LOST) {
      resolved.then(this._endTurn)
      this._asked = this._now
    }
    this._calls = this._shared
    this._settleIfRead()
  }

  readonly _endTurn = (): void => {
    this._asked = -FOREVER
    this._calls = 0
    if (this._count > 0) {
      this._now = this._timer._now()
      this._settle(SLICE)
    }
    this._hold()
  }

  _settle(most: number): boolean {
    const deadlines = this._deadlines
    const now = Math.floor(this._now)
    for (let i = 0; i < this._count; i++) {
      const place = this._touched[i]!
      // An earlier call has deleted it.
      if (deadlines._dues[place] === DEAD) continue
      const ttl = this._ttlOf(place)
      deadlines._set(place, Math.ceil(this._now + ttl), now, ttl === this._ttl)
    }
    this._count = 0
    for (let place = deadlines._firstDue(now); place > 0; place = deadlines._firstDue(now)) {
      if (most-- === 0) {
        this._arm()
        return true
      }
      this._expire(place)
    }
    if (this._size === 0 && this._dead > 0) {
      // Places that wait for their callbacks must stay: their runs delete the keys. On a stopped wheel there are no runs.
      if (this._dead > FEW && this._waits && !this._timer._stopped) this._sweep = this._now
      else if (this._dead > FEW) this._reset()
      else {
        this._sweeper = undefined
        this._sweepSome(FOREVER)
      }
    }
    this._arm()
    return false
  }

  /** Ends an entry that has expired. */
  _expire(place: number): void {
    // It is dead already if its removal was interrupted.
    if (this._deadlines._dues[place] !== DEAD) {
      if (this._onExpire !== undefined && this._armed < FOREVER && !this._timer._stopped)
        return this._queue(place)
      this._end(place)
    }
    this._recency?._use(place, false)
    this._deadlines._remove(place)
  }

  /** Ends an entry that has expired, and lets it wait for its callback. */
  _queue(place: number): void {
    const key = this._keys![place] as K
    // After an interruption the key can have another entry.
    if (this._places.get(key) === place) this._places.delete(key)
    this._recency?._use(place, false)
    this._deadlines._remove(place)
    // Commit: no calls from here on.
    this._size--
    this._deadlines._filed[place] = this._deadlines._dues[place]!
    this._deadlines._dues[place] = DEAD
    this._deadlines._next[place] = 0
    if (this._last === 0) this._first = place
    else this._deadlines._next[this._last] = place
    this._last = place
  }

  _sweepSome(keys: number): void {
    let left = keys
    this._sweeper ??= this._places.entries()
    for (const [key, place] of this._sweeper) {
      if (this._deadlines._dues[place] === DEAD) this._forget(place, key)
      if (--left <= 0) return
    }
    this._sweeper = undefined
    // Some keys that have expired since the start of this sweep can be among those that it has passed: another sweep removes them.
    if (this._dead > 0) this._sweep = this._now + KEPT
  }

  // ---- the timer ----------------------------------------------------------------------------------------------------

  /** Makes the timer due no later than there is something to do. */
  _arm(): void {
    const due = this._waits ? 0 : Math.min(this._deadlines._soonest, this._sweep)
    // A timer whose time has come keeps its deadline. One that is not set stays so, because the wheel can refuse it.
    if (this._armed <= Math.max(due, this._now) || this._armed === FOREVER || this._timer._stopped) return
    this._timer._set(Math.max(due - this._now, 0))
    this._armed = due
  }

  /** Whether an expired entry waits for its callback. */
  get _waits(): boolean {
    return this._first > 0
  }

  _run(): void {
    // Until `_rearm`, the timer stays due.
    this._armed = -1
    this._calls = 0
    this._now = this._timer._now()
    let hasMore = this._settle(SLICE)
    if (this._now >= this._sweep) {
      this._sweepSome(SLICE)
      hasMore ||= this._now >= this._sweep
    }
    const place = this._first
    if (!hasMore && place === this._last) this._rearm()
    if (place === 0) return this._timer._endRun()
    const value = this._values[place] as V
    const key = this._keys![place] as K
    this._take()
    this._timer._endRun(this._deadlines._filed[place])
    const onExpire = this._onExpire!
    onExpire(value, key)
  }

  /** Frees the first place whose callback has not run. Calls nothing. */
  _take(): void {
    const place = this._first
    this._first = this._deadlines._next[place]!
    if (this._first === 0) this._last = 0
    this._keys![place] = this._values[place] = undefined
    this._deadlines._next[place] = this._free
    this._free = place
  }

  /** The callbacks that wait do not run. The next call reads the clock: what has expired by then ends without a callback. */
  _wheelCleared(): void {
    this._armed = FOREVER
    this._calls = 0
    this._isPlain = false
    while (this._waits) this._take()
  }

  /** Ends the timer of a map without entries, unless it is running or there are callbacks to run. */
  _rest(): void {
    if (this._armed < 0 || this._waits) return
    this._armed = FOREVER
    this._timer._clear()
  }

  /** Sets the timer for what comes next, or ends it. */
  _rearm(): void {
    const due = Math.min(this._deadlines._soonest, this._sweep)
    const ms = Math.max(due - this._now, 0)
    // Before the calls below: if one of them is interrupted, the timer is due as before, or is set already.
    this._armed = due
    if (due < FOREVER) this._timer._set(ms)
    else this._timer._clear()
    this._hold()
  }

  /** Tells the timer whether an entry can expire or waits for its callback. */
  _hold(): void {
    this._timer._hold?.(this._waits || this._deadlines._listed > 0)
  }
}
