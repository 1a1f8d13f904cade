/**
 * The entries of a TimeoutMap. Values and keys are in columns, and a Map has the place of each key.
 *
 * **The clock** is read once a turn, and after 64 calls. All entries that have expired by then end at once, so no call has to look at
 * a deadline. An entry that was set or touched since the last reading is in `_touched`, and its ttl counts from the next one: it is never
 * early. A microtask makes that reading if no call does.
 *
 * **Expired keys** stay in the Map without a value. They leave it after a while, or all together with the last entry: a mass of
 * entries that expires needs no deletions. With `onExpire` or `dispose`, keys leave at once, and the places wait for their callbacks.
 *
 * **The timer** ends entries in slices, and runs one callback at a time. So the wheel's budget holds, and a callback that throws is
 * treated as that of any timer. After `clear()` or `stop()` of the wheel there is no timer, and a microtask disposes of the values. On workerd
 * a map without the option `wheel` never has one: a call that reads the clock ends entries, and a microtask runs their callbacks.
 *
 * **A stack overflow or a time limit of `vm`** ends a call where it enters a function or repeats a loop. So a place leaves the order of
 * uses and its list first. Calls of the Map can be interrupted too, before they change it. Stores cannot.
 */
import type { TimeoutMapOptions } from '../api/timeout-map.js'
import { checkBoolean, checkLargest, checkOptionNames, checkTtl } from '../common/checks.js'
import { FOREVER } from '../common/constants.js'
import { invalidType } from '../common/errors.js'
import { DEAD, Deadlines, ENDED, FIRST, TOLD, UNTOLD } from './deadlines.js'
import type { MapClient, MapTimer, OpenMapTimer } from './map-timer.js'
import { Rings } from './rings.js'

const OPTIONS = ['ttl', 'max', 'refreshOnGet', 'onExpire', 'dispose', 'unref', 'wheel']
/** This many calls share a reading of the clock. */
const CALLS = 64
/** The entries that one run of the timer ends, and the expired keys that it or a call deletes. */
const SLICE = 256
/** With fewer expired keys than this, their deletion is cheaper than a new start. */
const FEW = 64
/** Milliseconds for which an expired key stays in the Map. */
const KEPT = 10_000
/** The time of a timer that is set, before the first deadline is known. */
const LATER = 2 ** 1023

const resolved = /* @__PURE__ */ Promise.resolve()

/** As in a Map, a key of -0 is 0. */
const asKey = <K>(key: K): K => (key === 0 ? (0 as K) : key)

const column = (): undefined[] => new Array(FIRST).fill(undefined)

export class Entries<K, V> extends Deadlines implements MapClient {
  readonly _places = new Map<K, number>()
  declare _values: (V | undefined)[]
  declare _keys: (K | undefined)[]
  /** The ttl of each entry; undefined: all have that of the map. */
  declare _ttls: number[] | undefined
  /** With `max`: a ring of the entries in the order of their last uses. Its head is place 0. */
  declare _uses: Rings | undefined
  /** Places that can be used again, and their number. */
  declare _free: number[]
  declare _freed: number
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
  /** The number of keys in the Map that have no live entry, and when they leave it. */
  declare _dead: number
  declare _sweepAt: number
  /** When the timer is due; `FOREVER`: it is not set. */
  _armed: number = FOREVER
  readonly _ttl: number
  readonly _max: number
  readonly _refreshOnGet: boolean
  readonly _onExpire: TimeoutMapOptions<K, V>['onExpire']
  readonly _dispose: TimeoutMapOptions<K, V>['dispose']
  readonly _timer: MapTimer

  constructor(options: TimeoutMapOptions<K, V> = {}, openTimer: OpenMapTimer) {
    super()
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
    this._timer = openTimer(this, wheel, !unref)
    this._shared = this._timer._isVirtual ? 0 : CALLS - 1
  }

  // ---- operations ---------------------------------------------------------------------------------------------------

  /** The place of a key, or 0. Its entry can have expired. */
  _placeOf(key: K): number {
    if (--this._calls < 0) this._read()
    return this._places.get(key) ?? 0
  }

  /** The place of a live entry, or 0. */
  _find(key: K): number {
    const place = this._placeOf(key)
    return this._dues[place] === DEAD ? 0 : place
  }

  /** An expired key has no value. So a look at its deadline, which is a cache miss in a large map, is only for what a use changes. */
  _get(key: K): V | undefined {
    const place = this._placeOf(key)
    const value = this._values[place]
    if ((this._uses || this._refreshOnGet) && this._dues[place] !== DEAD) this._useByGet(place)
    return value
  }

  /** A get is a use of the entry, and can start its ttl anew. */
  _useByGet(place: number): void {
    this._uses?._move(place, 0)
    if (this._refreshOnGet) this._renew(place)
  }

  _getOrInsert(key: K, compute: (key: K) => V): V {
    const place = this._find(key)
    if (place > 0) {
      const value = this._values[place] as V
      this._useByGet(place)
      return value
    }
    const value = compute(asKey(key))
    this._set(key, value, this._ttl)
    return value
  }

  _set(key: K, value: V, ttl: number): void {
    const place = this._placeOf(key)
    const before = this._values[place] as V
    if (before === undefined && this._dues[place] === DEAD) return this._add(key, value, ttl, place)
    this._prepare(ttl)
    this._uses?._move(place, 0)
    if (this._ttls !== undefined) this._ttls[place] = ttl
    this._values[place] = value
    this._touched[this._count++] = place
    this._settleIfRead()
    if (before !== value) this._leave(before, key, 'set')
  }

  /** @param ended the place of the key, if its entry has expired; otherwise 0 */
  _add(key: K, value: V, ttl: number, ended: number): void {
    this._prepare(ttl, true)
    if (ended > 0) this._remove(ended, key)
    const oldest = this._uses && this._size() >= this._max ? this._uses._next[0]! : 0
    const evicted = this._values[oldest] as V
    const former = this._keys[oldest] as K
    if (oldest > 0) this._remove(oldest, former)
    // Expired keys never outnumber the others for long.
    if (this._dead > this._size()) this._sweep(4)
    const own = asKey(key)
    const place = this._freed > 0 ? this._free[this._freed - 1]! : this._values.length
    this._open(place)
    this._uses?._open(place)
    // If the Map is full, this throws, and the place is still free.
    this._places.set(key, place)
    if (this._freed > 0) this._freed--
    this._dues[place] = FOREVER
    this._keys[place] = own
    this._values[place] = value
    if (this._ttls !== undefined) this._ttls[place] = ttl
    this._touched[this._count++] = place
    this._uses?._move(place, 0)
    this._settleIfRead()
    if (oldest > 0) this._leave(evicted, former, 'evict')
  }

  /** Deletes all entries. Those that have expired wait for their callbacks. */
  _deleteAll(): void {
    if (this._waits()) for (const [key, place] of this._places) this._remove(place, key)
    else this._reset()
    // The timer ends, unless it is running or there are callbacks to run.
    if (this._armed >= 0 && !this._waits()) this._setTimer(FOREVER)
  }

  /** The number of entries. */
  _size(): number {
    return this._places.size - this._dead
  }

  *_all<T>(pick: (key: K, value: V) => T): Generator<T> {
    for (const key of this._places.keys()) {
      const place = this._find(key)
      if (place > 0) yield pick(key, this._values[place] as V)
    }
  }

  // ---- places -------------------------------------------------------------------------------------------------------

  _ttlOf(place: number): number {
    return this._ttls?.[place] ?? this._ttl
  }

  /** Starts the ttl of an entry anew. @throws as `prepare` */
  _renew(place: number): void {
    this._prepare(this._ttlOf(place))
    this._touched[this._count++] = place
    this._settleIfRead()
  }

  /** Settles at once if this very call has read the clock. */
  _settleIfRead(): void {
    if (this._calls === this._shared) this._settle(FOREVER)
  }

  /** Prepares for an entry with this ttl. @throws RangeError if the wheel takes no more timers, or Error if a new entry cannot expire */
  _prepare(ttl: number, isNew?: boolean): void {
    if (ttl < FOREVER && this._armed === FOREVER && (isNew || !this._timer._isStopped?.())) {
      this._timer._set(ttl)
      this._armed = LATER
    }
    if (ttl !== this._ttl) this._ttls ??= new Array(this._values.length).fill(this._ttl)
  }

  /** Deletes a key of the Map. Its entry can have expired. */
  _remove(place: number, key: K): void {
    this._end(place, place)
    this._places.delete(key)
    this._dead--
    this._keys[place] = undefined
    this._free[this._freed++] = place
  }

  /** Calls `dispose` for a value that has left. An operation has done all else. */
  _leave(value: V, key: K, reason: 'delete' | 'evict' | 'set' | 'expire'): void {
    const { _dispose: dispose } = this
    dispose?.(value, asKey(key), reason)
  }

  /** Ends an entry, if it is live. Its key stays in the Map. */
  _end(place: number, list: number): void {
    this._uses?._move(place, place)
    this._file(place, list, FOREVER)
    if (this._dues[place] !== DEAD) this._dead++
    this._dues[place] = DEAD
    this._values[place] = undefined
  }

  /** Starts anew, without entries. */
  _reset(): void {
    const fresh = new Deadlines()
    const uses = this._max < FOREVER ? new Rings() : undefined
    const values = column()
    const keys = column()
    this._places.clear()
    this._dues = fresh._dues
    this._filed = fresh._filed
    this._next = fresh._next
    this._previous = fresh._previous
    this._uses = uses
    this._values = values
    this._keys = keys
    this._ttls = undefined
    this._free = []
    this._count = this._freed = this._dead = 0
    this._soonest = this._sweepAt = FOREVER
  }

  // ---- time ---------------------------------------------------------------------------------------------------------

  /** Reads the clock. */
  _read(): void {
    this._now = this._timer._now()
    if (this._shared > 0) this._ask()
    this._calls = this._shared
    this._settle(FOREVER)
    // For a map that no timer runs.
    if (this._now >= this._sweepAt) this._sweep(SLICE)
  }

  /** Requests the microtask at the end of the turn. */
  _ask(): void {
    if (this._isAsked) return
    const ask = this._timer._soon ?? ((callback) => resolved.then(callback))
    ask(() => this._endTurn())
    this._isAsked = true
  }

  _endTurn(): void {
    this._isAsked = false
    this._calls = 0
    if (this._count > 0) {
      this._now = this._timer._now()
      this._settle(SLICE)
    }
    this._hold()
    try {
      while (this._waits() && !this._isTimed()) this._handOver()
    } finally {
      if (this._waits()) this._arm()
    }
  }

  /**
   * Counts the ttl of the entries in `touched` from the last reading of the clock. Then ends the entries that have expired by that reading.
   *
   * @param most the number of entries that may end
   * @returns whether more entries have expired
   */
  _settle(most: number): boolean {
    const past = Math.floor(this._now - (this._timer._lag?.() ?? 0))
    for (let i = 0; i < this._count; i++) {
      const place = this._touched[i]!
      // An earlier call has deleted it.
      if (this._dues[place] === DEAD) continue
      const ttl = this._ttlOf(place)
      this._setDue(place, Math.ceil(this._now + ttl), past, ttl === this._ttl)
    }
    this._count = 0
    let left = most
    let place = this._firstDue(past)
    for (; place > 0 && left > 0; place = this._firstDue(past), left--) this._expire(place)
    if (this._size() > 0 || this._waits()) {
      if (this._dead > 0) this._sweepAt = Math.min(this._sweepAt, this._now + KEPT)
    } else if (this._dead > FEW) this._reset()
    else this._sweep(FOREVER)
    this._arm()
    return place > 0
  }

  /** Ends an entry that has expired. With callbacks, it waits for them. */
  _expire(place: number): void {
    const tells = this._onExpire && this._armed < FOREVER && !this._timer._isStopped?.()
    if (!(tells || this._dispose)) return this._end(place, ENDED)
    const key = this._keys[place] as K
    this._uses?._move(place, place)
    // After an interrupted call, the key can be another entry's.
    if (this._places.get(key) === place) this._places.delete(key)
    this._file(place, tells ? UNTOLD : TOLD, this._dues[place]!)
    this._dues[place] = DEAD
  }

  /** Deletes expired keys from the Map. */
  _sweep(most: number): void {
    let left = most
    for (; left > 0 && !this._isEmpty(ENDED); left--) {
      const place = this._next[ENDED]!
      this._remove(place, this._keys[place] as K)
    }
    if (left > 0) this._sweepAt = FOREVER
  }

  // ---- the timer ----------------------------------------------------------------------------------------------------

  /** Whether the timer is set, and can ring. */
  _isTimed(): boolean {
    return this._armed < FOREVER && this._timer._isStopped?.() === false
  }

  _isEmpty(list: number): boolean {
    return this._next[list] === list
  }

  /** Whether an expired entry waits for its callbacks. */
  _waits(): boolean {
    return !(this._isEmpty(TOLD) && this._isEmpty(UNTOLD))
  }

  /** Makes the timer due no later than there is something to do. If it is not set, it stays so, because the wheel can refuse it. */
  _arm(): void {
    if (this._isTimed()) {
      const due = this._waits() ? 0 : this._nextDue()
      // A timer whose time has come keeps its deadline.
      if (this._armed > Math.max(due, this._now)) this._setTimer(due)
    } else if (this._waits()) this._ask()
  }

  /** The timer is due. Ends some entries, and runs at most one callback. */
  _run(): void {
    // Until `rearm`, the timer stays due.
    this._armed = -1
    this._calls = 0
    this._now = this._timer._now()
    let hasMore = this._settle(SLICE)
    if (this._now >= this._sweepAt) this._sweep(SLICE)
    hasMore ||= this._now >= this._sweepAt
    if (this._waits()) return this._handOver(hasMore)
    if (!hasMore) this._rearm()
    this._timer._countRun?.()
  }

  /**
   * Runs the next callback of an entry that waits: `onExpire`, or `dispose`.
   *
   * @param hasMore whether there is more to do in this run of the timer; undefined: it is none
   */
  _handOver(hasMore?: boolean): void {
    const { _onExpire: onExpire } = this
    const tells = this._isEmpty(TOLD)
    const place = this._next[tells ? UNTOLD : TOLD]!
    const value = this._values[place] as V
    const key = this._keys[place] as K
    const due = this._filed[place]!
    if (tells && this._dispose) this._file(place, TOLD, due)
    else this._take(place)
    if (hasMore !== undefined) {
      if (!(hasMore || this._waits())) this._rearm()
      this._timer._countRun?.(due, tells ? onExpire : this._dispose)
    }
    if (!tells) this._leave(value, key, 'expire')
    else if (onExpire) onExpire(value, key)
  }

  /** Frees a place that waits. */
  _take(place: number): void {
    this._file(place, place, FOREVER)
    this._values[place] = this._keys[place] = undefined
    this._free[this._freed++] = place
  }

  /** The timer ends. `onExpire` runs neither for entries that wait, nor for those that expire before the next call, which reads the clock. */
  _wheelCleared(): void {
    this._armed = FOREVER
    this._calls = 0
    while (!this._isEmpty(UNTOLD)) {
      const place = this._next[UNTOLD]!
      if (this._dispose) this._file(place, TOLD, 0)
      else this._take(place)
    }
    this._arm()
  }

  /** When the timer has to run next, if no entry waits. */
  _nextDue(): number {
    return Math.min(this._soonest, this._sweepAt)
  }

  /** Sets the timer for what comes next, or ends it. */
  _rearm(): void {
    this._setTimer(this._nextDue())
    this._hold()
  }

  /** Sets the timer, or ends it: `FOREVER`. */
  _setTimer(due: number): void {
    // If the call is interrupted, the map does not wait for a timer that has ended, or that is still set for a later time.
    if (due === FOREVER) this._armed = due
    this._timer._set(Math.max(due - this._now, 0))
    this._armed = due
  }

  /** Lets the timer see whether an entry can expire or waits for its callback. */
  _hold(): void {
    this._timer._hold?.(this._next)
  }
}

/** Makes the entries of a map, with their timer. */
export type OpenEntries = <K, V>(options?: TimeoutMapOptions<K, V>) => Entries<K, V>
