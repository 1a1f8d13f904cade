/**
 * The entries of a TimeoutMap. Values are in a column, and a Map has the place of each key. See expiring-entries.ts for time.
 */
import type { TimeoutMapOptions } from '../api/timeout-map.js'
import { wheelStopped } from '../common/errors.js'
import { FOREVER } from '../common/forever.js'
import { DEAD, Deadlines, grown } from './deadlines.js'
import type { MapClient, MapTimer, OpenMapTimer } from './map-timer.js'
import { checkMapOptions } from './options.js'
import { Recency } from './recency.js'

/** This many calls share a reading of the clock. */
const CALLS = 64
/** Milliseconds for which an expired key stays in the Map. */
export const KEPT = 10_000
/** The time of a timer that is set, before the first deadline is known. */
const LATER = 2 ** 1023

// It has no holes, which would make it slower.
const column = (length: number): undefined[] => new Array(length).fill(undefined)

export abstract class Entries<K, V> implements MapClient {
  readonly _places = new Map<K, number>()
  declare _values: (V | undefined)[]
  /** The keys; undefined: nothing needs them. */
  declare _keys: (K | undefined)[] | undefined
  /** The calls until the clock is read again, and after a reading. */
  _calls = 0
  readonly _shared: number
  /** The last reading of the clock. */
  _now = 0
  /** Places of entries whose ttl counts from the next reading. */
  readonly _touched: number[] = []
  declare _count: number
  declare _size: number
  /** The number of places that were ever used, and the first free one; each free place names the next. */
  declare _used: number
  declare _free: number
  /** With `onExpire`: the first and the last place whose callback has not run; each place names the next. */
  declare _first: number
  declare _last: number
  /** Without `onExpire`: the number of expired keys in the Map, and when they leave it. */
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
  readonly _timer: MapTimer

  constructor(options: TimeoutMapOptions<K, V> | undefined, openTimer: OpenMapTimer) {
    const { ttl, max, refreshOnGet, onExpire, unref, wheel } = checkMapOptions(options)
    this._ttl = ttl
    this._max = max
    this._refreshOnGet = refreshOnGet
    this._onExpire = onExpire as never
    this._reset()
    this._onlyGets = !(refreshOnGet || this._recency)
    this._timer = openTimer(this, wheel, !unref)
    this._shared = this._timer._virtual ? 0 : CALLS - 1
  }

  /** Reads the clock. */
  abstract _read(): void
  /**
   * Counts the ttl of the entries in `_touched` from the last reading of the clock, and ends what has expired by then.
   *
   * @param most the number of entries that may end
   * @returns whether more entries have expired
   */
  abstract _settle(most: number): boolean
  /** Looks at some keys of the Map, and deletes those that have expired. */
  abstract _sweepSome(keys: number): void
  /** The timer is due. Ends some entries, and runs at most one callback. */
  abstract _run(): void
  abstract _wheelCleared(): void

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
      this._forget(place, key)
      return this._add(key, value, ttl)
    }
    this._prepareTtl(ttl)
    this._recency?._use(place)
    // Commit: no calls until all three are set.
    if (this._ttls !== undefined) this._ttls[place] = ttl
    this._values[place] = value
    this._touched[this._count++] = place
    this._settleIfRead()
  }

  /** Adds an entry. */
  _add(key: K, value: V, ttl: number = this._ttl): void {
    if (ttl < FOREVER && this._timer._stopped) throw wheelStopped()
    this._prepareTtl(ttl)
    if (this._size >= this._max) this._evict()
    // Expired keys never outnumber the others for long.
    if (this._dead > this._size) this._sweepSome(4)
    const place = this._free || this._fresh()
    this._deadlines._dues[place] = DEAD
    this._recency?._use(place)
    this._places.set(key, place)
    // Commit: no calls from here on.
    if (place === this._free) this._free = this._deadlines._next[place]!
    else this._used++
    this._size++
    // As in a Map, a key of -0 is 0.
    if (this._keys !== undefined) this._keys[place] = key === 0 ? (0 as K) : key
    this._values[place] = value
    if (this._ttls !== undefined) this._ttls[place] = ttl
    this._deadlines._dues[place] = FOREVER
    this._touched[this._count++] = place
    // From here on, an interruption does no harm.
    this._settleIfRead()
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

  /** Returns a place that was never used. It counts as used when it gets an entry. */
  _fresh(): number {
    if (this._used === this._deadlines._capacity) this._grow()
    return this._used
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

  /** Removes the entry that was used least recently. */
  _evict(): void {
    const recency = this._recency!
    let oldest = recency._oldest
    // An interruption leaves places without an entry in the ring.
    for (; this._deadlines._dues[oldest] === DEAD; oldest = recency._oldest) recency._use(oldest, false)
    this._remove(oldest, this._keys![oldest] as K)
  }

  /** Removes an entry: it was deleted, or is in excess. */
  _remove(place: number, key: K): void {
    if (this._deadlines._dues[place] !== DEAD) this._end(place)
    // If this is interrupted, the key stays in the Map as that of an entry that has expired.
    this._forget(place, key)
  }

  /** Ends an entry. Its key stays in the Map for a while. Calls nothing. */
  _end(place: number): void {
    this._size--
    this._deadlines._dues[place] = DEAD
    this._values[place] = undefined
    if (this._keys !== undefined) this._keys[place] = undefined
    if (this._dead++ === 0) this._sweep = this._now + KEPT
  }

  /** Deletes the key of an ended entry. */
  _forget(place: number, key: K): void {
    this._recency?._use(place, false)
    this._deadlines._remove(place)
    this._places.delete(key)
    // Commit: no calls from here on.
    this._deadlines._next[place] = this._free
    this._free = place
    if (--this._dead === 0) this._sweep = FOREVER
  }

  /** Starts anew, without entries. */
  _reset(): void {
    const deadlines = new Deadlines()
    const recency = this._max < FOREVER ? new Recency(deadlines) : undefined
    const keys = this._onExpire || recency ? column(deadlines._capacity) : undefined
    const values = column(deadlines._capacity)
    this._places.clear()
    // Commit: no calls from here on.
    this._deadlines = deadlines
    this._keys = keys
    this._values = values
    this._recency = recency
    this._ttls = undefined
    this._isPlain = recency === undefined
    this._count = this._size = this._free = this._first = this._last = this._dead = 0
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

  /** Settles at once if this very call has read the clock. If that is interrupted, the next call reads it again. */
  _settleIfRead(): void {
    if (this._calls !== this._shared) return
    this._calls = 0
    this._settle(FOREVER)
    this._calls = this._shared
  }
}
