/**
 * The entries of a TimeoutMap. Values are in a column, and a Map has the place of each key.
 *
 * **The clock** is read once a turn, and after 64 calls. All entries that have expired by then end at once, so no call has to look at
 * a deadline. An entry that was set or touched since the last reading is in `_touched`, and its ttl counts from the next one: it is never
 * early. A microtask makes that reading if no call does.
 *
 * **Expired keys** stay in the Map without a value. They leave it after a while, or all together with the last entry: a mass of
 * entries that expires needs no deletions. With `onExpire` or `dispose`, keys leave at once, and the places wait for their callbacks.
 *
 * **The timer** ends entries in slices, and runs one callback at a time. So the wheel's budget holds, and a callback that throws is
 * treated as that of any timer. After `clear()` or `stop()` of the wheel there is no timer, and a microtask disposes of the values.
 *
 * **A stack overflow or a time limit of `vm`** ends a call where it enters a function or repeats a loop. So a place leaves the order of
 * uses and its list first. The stores after that, and the calls of the Map, cannot be interrupted.
 */
import type { TimeoutMapOptions } from '../api/timeout-map.js'
import { checkBoolean, checkLargest, checkOptionNames, checkTtl } from '../common/checks.js'
import { FOREVER } from '../common/constants.js'
import { invalidType, wheelStopped } from '../common/errors.js'
import { DEAD, Deadlines, grown } from './deadlines.js'
import type { MapClient, MapTimer, OpenMapTimer } from './map-timer.js'
import { Recency } from './recency.js'

const OPTIONS = ['ttl', 'max', 'refreshOnGet', 'onExpire', 'dispose', 'unref', 'wheel']
/** This many calls share a reading of the clock. */
const CALLS = 64
/** The entries that one run of the timer ends, and the keys that it looks at to find the expired ones. */
const SLICE = 256
/** With fewer expired keys than this, their deletion is cheaper than a new Map. */
const FEW = 64
/** Milliseconds for which an expired key stays in the Map. */
const KEPT = 10_000
/** The time of a timer that is set, before the first deadline is known. */
const LATER = 2 ** 1023

// It has no holes, which would make it slower.
const column = (length: number): undefined[] => new Array(length).fill(undefined)

const resolved = /* @__PURE__ */ Promise.resolve()

export class Entries<K, V> implements MapClient {
  readonly _places = new Map<K, number>()
  declare _values: (V | undefined)[]
  /** The keys; undefined: nothing needs them. */
  declare _keys: (K | undefined)[] | undefined
  /** The calls until the clock is read again, and after a reading. */
  _calls = 0
  readonly _shared: number
  /** The last reading of the clock. */
  _now = 0
  /** Whether the microtask at the end of the turn is requested. */
  _isAsked = false
  /** Places of entries whose ttl counts from the next reading. */
  readonly _touched: number[] = []
  declare _count: number
  /** The number of places that were ever used, and the first free one; each free place names the next. */
  declare _used: number
  declare _free: number
  /** The first and the last place that waits for its callbacks; each place names the next. */
  declare _first: number
  declare _last: number
  /** Whether `onExpire` has run for the first of these places, and `dispose` has not. */
  declare _isTold: boolean
  /** The last of these places that expired before the timer was set again: `onExpire` does not run for it. 0: there is none. */
  declare _silent: number
  /** The number of keys in the Map that have no live entry, and when they leave it. */
  declare _dead: number
  declare _sweep: number
  /** Goes through the Map to find the expired keys. */
  declare _sweeper: IterableIterator<[K, number]> | undefined
  /** When the timer is due; `FOREVER`: it is not set. */
  _armed = FOREVER
  declare _deadlines: Deadlines
  declare _recency: Recency | undefined
  /** The ttl of each entry; undefined: all have that of the map. */
  declare _ttls: Float64Array | undefined
  readonly _ttl: number
  readonly _max: number
  readonly _refreshOnGet: boolean
  /** Whether a set is simple, and whether a get is. No set is after `clear()` of the wheel: it has to set the timer. */
  declare _isPlain: boolean
  readonly _onlyGets: boolean
  readonly _onExpire: ((value: V, key: K) => unknown) | undefined
  readonly _dispose: TimeoutMapOptions<K, V>['dispose']
  readonly _timer: MapTimer

  constructor(options: TimeoutMapOptions<K, V> = {}, openTimer: OpenMapTimer) {
    checkOptionNames(options, OPTIONS)
    const { ttl = FOREVER, max = FOREVER, refreshOnGet = false, unref = true, wheel } = options
    const { onExpire, dispose } = options
    checkTtl(ttl)
    checkLargest('max', 'entries', max)
    checkBoolean('refreshOnGet', refreshOnGet)
    for (const [name, value] of Object.entries({ onExpire, dispose })) {
      if (value !== undefined && typeof value !== 'function') throw invalidType(name, 'a function', value)
    }
    checkBoolean('unref', unref)
    this._ttl = ttl
    this._max = max
    this._refreshOnGet = refreshOnGet
    this._onExpire = onExpire as never
    this._dispose = dispose as never
    this._reset()
    this._onlyGets = !(refreshOnGet || this._recency)
    this._timer = openTimer(this, wheel, !unref)
    this._shared = this._timer._virtual ? 0 : CALLS - 1
  }

  /** The place of a live entry, or 0. */
  _find(key: K): number {
    if (--this._calls < 0) this._read()
    const place = this._places.get(key)
    return place && this._deadlines._dues[place] !== DEAD ? place : 0
  }

  _ttlOf(place: number): number {
    return this._ttls?.[place] ?? this._ttl
  }

  /** A get counts as a use, or starts the ttl anew. */
  _use(place: number): void {
    if (this._deadlines._dues[place] === DEAD) return
    this._recency?._use(place)
    if (this._refreshOnGet) this._keepTouch(place)
  }

  /** Sets an entry that has expired, has an own ttl, has the value `undefined` or counts its uses. */
  _setUnusual(key: K, place: number, value: V, ttl: number = this._ttl): void {
    if (this._deadlines._dues[place] === DEAD) {
      // The new entry is the last in the order of the Map.
      this._delete(place, key)
      return this._add(key, value, ttl)
    }
    this._prepareTtl(ttl)
    this._recency?._use(place)
    const before = this._values[place] as V
    const own = this._keys?.[place] as K
    if (this._ttls !== undefined) this._ttls[place] = ttl
    this._values[place] = value
    this._touched[this._count++] = place
    this._settleIfRead()
    if (before !== value) this._leave(before, own, 'set')
  }

  /** Adds an entry. */
  _add(key: K, value: V, ttl: number = this._ttl): void {
    if (ttl < FOREVER && this._timer._stopped) throw wheelStopped()
    this._prepareTtl(ttl)
    const recency = this._recency
    const oldest = recency && this._size >= this._max ? recency._oldest : 0
    const evicted = this._values[oldest] as V
    const own = this._keys?.[oldest] as K
    if (oldest > 0) this._delete(oldest, own)
    // Expired keys never outnumber the others for long.
    if (this._dead > this._size) this._sweepSome(4)
    if (this._free === 0 && this._used === this._deadlines._capacity) this._grow()
    const place = this._free || this._used
    // If the Map is full, this throws, and the place is still free.
    this._places.set(key, place)
    if (place === this._free) this._free = this._deadlines._next[place]!
    else this._used++
    // As in a Map, a key of -0 is 0.
    if (this._keys !== undefined) this._keys[place] = key === 0 ? (0 as K) : key
    this._values[place] = value
    if (this._ttls !== undefined) this._ttls[place] = ttl
    this._deadlines._dues[place] = FOREVER
    this._touched[this._count++] = place
    recency?._use(place)
    this._settleIfRead()
    if (oldest > 0) this._leave(evicted, own, 'evict')
  }

  /** Prepares for an entry with this ttl. @throws RangeError if the wheel takes no more timers */
  _prepareTtl(ttl: number): void {
    if (ttl < FOREVER && this._armed === FOREVER && !this._timer._stopped) {
      this._timer._set(ttl)
      this._armed = LATER
    }
    if (ttl === this._ttl || this._ttls !== undefined) return
    this._ttls = new Float64Array(this._deadlines._capacity).fill(this._ttl)
    this._isPlain = false
  }

  /** Makes room for twice as many places. The deadlines come last, because their capacity counts. */
  _grow(): void {
    const capacity = 2 * this._used
    if (this._keys !== undefined) this._keys = this._keys.concat(column(capacity - this._keys.length))
    this._values = this._values.concat(column(capacity - this._values.length))
    this._recency?._grow(capacity)
    if (this._ttls !== undefined) this._ttls = grown(this._ttls, capacity)
    this._deadlines._grow(capacity)
  }

  /** The number of entries. */
  get _size(): number {
    return this._places.size - this._dead
  }

  /** Deletes a key of the Map. Its entry can have expired. */
  _delete(place: number, key: K): void {
    this._end(place)
    this._places.delete(key)
    this._dead--
    this._deadlines._next[place] = this._free
    this._free = place
  }

  /** Ends an entry, if it is live. Its key stays in the Map. */
  _end(place: number): void {
    this._recency?._use(place, false)
    if (this._deadlines._dues[place] !== DEAD) this._dead++
    this._deadlines._dues[place] = DEAD
    this._values[place] = undefined
    if (this._keys !== undefined) this._keys[place] = undefined
    this._deadlines._remove(place)
  }

  /** Calls `dispose` for a value that an operation has removed. The operation has done all else. */
  _leave(value: V, key: K, reason: 'delete' | 'evict' | 'set'): void {
    const dispose = this._dispose
    if (dispose) dispose(value, key, reason)
  }

  /** Deletes an entry, and disposes of its value. */
  _discard(place: number): void {
    const value = this._values[place] as V
    const key = this._keys![place] as K
    this._delete(place, key)
    this._leave(value, key, 'delete')
  }

  /** Starts anew, without entries. */
  _reset(): void {
    const deadlines = new Deadlines()
    const recency = this._max < FOREVER ? new Recency(deadlines) : undefined
    const keys = this._onExpire || this._dispose || recency ? column(deadlines._capacity) : undefined
    const values = column(deadlines._capacity)
    this._places.clear()
    this._deadlines = deadlines
    this._keys = keys
    this._values = values
    this._recency = recency
    this._ttls = undefined
    this._isPlain = !(recency || this._dispose)
    this._count = this._free = this._first = this._last = this._silent = this._dead = 0
    this._isTold = false
    this._used = 1
    this._sweep = FOREVER
    this._sweeper = undefined
  }

  /** Starts the ttl of an entry anew. @throws as `_prepareTtl` */
  _keepTouch(place: number): void {
    if (!this._isPlain) this._prepareTtl(this._ttlOf(place))
    this._touched[this._count++] = place
    this._settleIfRead()
  }

  /** Settles at once if this very call has read the clock. */
  _settleIfRead(): void {
    if (this._calls === this._shared) this._settle(FOREVER)
  }

  // ---- time ---------------------------------------------------------------------------------------------------------

  /** Reads the clock. */
  _read(): void {
    this._now = this._timer._now()
    if (this._shared > 0) this._ask()
    this._calls = this._shared
    this._settle(FOREVER)
  }

  /** Requests the microtask at the end of the turn. */
  _ask(): void {
    if (this._isAsked) return
    resolved.then(this._endTurn)
    this._isAsked = true
  }

  readonly _endTurn = (): void => {
    this._isAsked = false
    this._calls = 0
    if (this._count > 0) {
      this._now = this._timer._now()
      this._settle(SLICE)
    }
    this._hold()
    try {
      while (this._waits && !this._isTimed) this._handOver()
    } finally {
      if (this._waits) this._arm()
    }
  }

  /**
   * Counts the ttl of the entries in `_touched` from the last reading of the clock. Then ends the entries that have expired by that reading.
   *
   * @param most the number of entries that may end
   * @returns whether more entries have expired
   */
  _settle(most: number): boolean {
    const deadlines = this._deadlines
    const now = Math.floor(this._now - (this._timer._lag?.() ?? 0))
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
    if (this._size > 0 || this._waits) {
      if (this._dead > 0 && this._sweep === FOREVER) this._sweep = this._now + KEPT
    } else if (this._dead > FEW) this._reset()
    else if (this._dead > 0) {
      this._sweeper = undefined
      this._sweepSome(FOREVER)
    }
    this._arm()
    return false
  }

  /** Ends an entry that has expired. */
  _expire(place: number): void {
    // An interrupted call has ended it.
    if (this._deadlines._dues[place] === DEAD) this._deadlines._remove(place)
    else if (this._dispose || (this._onExpire && this._isTimed)) this._queue(place)
    else this._end(place)
  }

  /** Ends an entry that has expired, and lets it wait for its callbacks. */
  _queue(place: number): void {
    this._recency?._use(place, false)
    this._deadlines._remove(place)
    this._places.delete(this._keys![place] as K)
    this._deadlines._filed[place] = this._deadlines._dues[place]!
    this._deadlines._dues[place] = DEAD
    this._deadlines._next[place] = 0
    if (this._last === 0) this._first = place
    else this._deadlines._next[this._last] = place
    this._last = place
    if (!this._isTimed) this._silent = place
  }

  /** Looks at some keys of the Map, and deletes those that have expired. */
  _sweepSome(keys: number): void {
    let left = keys
    this._sweeper ??= this._places.entries()
    for (const [key, place] of this._sweeper) {
      if (this._deadlines._dues[place] === DEAD) this._delete(place, key)
      if (--left === 0) return
    }
    this._sweeper = undefined
    // Some keys that have expired since the start of this sweep can be among those that it has passed: another sweep removes them.
    this._sweep = this._dead > 0 ? this._now + KEPT : FOREVER
  }

  // ---- the timer ----------------------------------------------------------------------------------------------------

  /** Whether the timer is set. */
  get _isTimed(): boolean {
    return this._armed < FOREVER && !this._timer._stopped
  }

  /** Makes the timer due no later than there is something to do. If it is not set, it stays so, because the wheel can refuse it. */
  _arm(): void {
    if (!this._isTimed) {
      if (this._waits) this._ask()
      return
    }
    const due = this._waits ? 0 : Math.min(this._deadlines._soonest, this._sweep)
    // A timer whose time has come keeps its deadline.
    if (this._armed <= Math.max(due, this._now)) return
    this._timer._set(Math.max(due - this._now, 0))
    this._armed = due
  }

  /** Whether an expired entry waits for its callbacks. */
  get _waits(): boolean {
    return this._first > 0
  }

  /** The timer is due. Ends some entries, and runs at most one callback. */
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
    if (this._waits) return this._handOver(hasMore)
    if (!hasMore) this._rearm()
    this._timer._endRun()
  }

  /**
   * Runs the next callback of the first place that waits: `onExpire`, or `dispose`.
   *
   * @param hasMore whether there is more to do in this run of the timer; undefined: it is none, and only `dispose` runs
   */
  _handOver(hasMore?: boolean): void {
    const place = this._first
    const value = this._values[place] as V
    const key = this._keys![place] as K
    const due = this._deadlines._filed[place]
    const { _onExpire: onExpire, _dispose: dispose } = this
    const isTold = this._isTold || this._silent > 0 || hasMore === undefined || !onExpire
    this._isTold = !isTold && dispose !== undefined
    if (!this._isTold) this._take()
    if (hasMore !== undefined) {
      if (!(hasMore || this._waits)) this._rearm()
      this._timer._endRun(due, isTold ? dispose : onExpire)
    }
    if (!isTold) onExpire(value, key)
    else if (dispose) dispose(value, key, 'expire')
  }

  /** Frees the first place that waits. */
  _take(): void {
    const place = this._first
    this._first = this._deadlines._next[place]!
    if (this._first === 0) this._last = 0
    if (this._silent === place) this._silent = 0
    this._keys![place] = this._values[place] = undefined
    this._deadlines._next[place] = this._free
    this._free = place
  }

  /** The timer ends. `onExpire` runs neither for entries that wait, nor for those that expire before the next call, which reads the clock. */
  _wheelCleared(): void {
    this._armed = FOREVER
    this._calls = 0
    this._isPlain = false
    if (this._dispose === undefined) while (this._waits) this._take()
    this._silent = this._last
    this._arm()
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

/** Makes the entries of a map, with their timer. */
export type OpenEntries = <K, V>(options?: TimeoutMapOptions<K, V>) => Entries<K, V>
