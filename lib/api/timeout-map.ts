/** Maps whose entries expire: the class `TimeoutMap` and its options. */
import type { TimerWheel } from './wheel.js'

/** Options of a `TimeoutMap`. */
export interface TimeoutMapOptions<K, V> {
  /**
   * How long an entry lives: milliseconds from 0 to 2^53 - 1, or `Infinity`: it never expires. An entry ends at a whole
   * millisecond of the wheel's clock, even if the tick is finer. Default: `Infinity`.
   */
  ttl?: number | undefined
  /**
   * The largest number of entries, a whole number from 1, or `Infinity`. A further entry removes the least recently used one,
   * without a call of `onExpire`. `get`, `set` and `touch` are uses; `peek` and `has` are not. Default: `Infinity`.
   */
  max?: number | undefined
  /** Whether `get` starts the entry's own ttl anew. Default: false. */
  refreshOnGet?: boolean | undefined
  /**
   * Called after an entry has expired and has left the map, without an async context, but not after
   * `stop()` of the wheel. Calls have the order of the deadlines, except for entries of the same millisecond, and for
   * different ttls that come due while the event loop is blocked.
   */
  onExpire?: ((value: V, key: K) => unknown) | undefined
  /**
   * Called once for each value that has left the map. The reason is `'evict'` (by `max`), `'delete'` (also by `clear`), `'set'`
   * (replaced by another value) or `'expire'`.
   *
   * For an expired value, the wheel calls it as `onExpire`, and after that. If the wheel was stopped or cleared, a microtask
   * calls it, after a call of the map that finds the value expired. For other reasons, the method calls it when it has done
   * all else. So `dispose` may use the map, and its errors reach the caller. `clear` calls it for all values, and then throws
   * the first error.
   */
  dispose?: ((value: V, key: K, reason: 'evict' | 'delete' | 'set' | 'expire') => unknown) | undefined
  /**
   * If false, the map keeps the process alive while an entry can expire or waits for a callback. Default: true, on every
   * wheel.
   */
  unref?: boolean | undefined
  /**
   * The wheel whose timer ends the entries, made by the same entry of the package. The map counts as one pending timer of it
   * while an entry can expire, and if all such entries were deleted, until they would have expired. Default: the shared
   * wheel.
   */
  wheel?: TimerWheel<unknown> | undefined
}

/** A Map whose entries expire. */
export interface TimeoutMap<K, V> extends Map<K, V> {
  /**
   * Adds or replaces an entry.
   *
   * @param ttl the ttl of this entry, as in {@link TimeoutMapOptions.ttl}; default: that of the map
   * @throws TypeError if `ttl` is not a number, RangeError if it is out of range
   * @throws RangeError if the Map of the engine is full, or with the code `ERR_WHEEL_FULL` or `ERR_WHEEL_LIMIT` if the wheel
   *   takes no more timers
   * @throws Error with code `ERR_WHEEL_STOPPED` if the wheel was stopped and the new entry can expire
   */
  set(key: K, value: V, ttl?: number): this
  /** Returns the value of a key, without a use and without a new ttl. */
  peek(key: K): V | undefined
  /**
   * Starts the entry's own ttl anew. Returns whether there is such an entry.
   *
   * @throws RangeError as `set`, if the wheel was cleared and takes no more timers. So does `get` with `refreshOnGet`
   */
  touch(key: K): boolean
  /** The milliseconds until an entry expires, or `Infinity`; `undefined` if there is no such entry. Reads the clock. */
  remaining(key: K): number | undefined
  /** The value of a key, or else `value`, which it adds. */
  getOrInsert(key: K, value: V): V
  /** The value of a key, or else the result of `compute(key)`, which it adds. */
  getOrInsertComputed(key: K, compute: (key: K) => V): V
}

/** The class of maps whose entries expire. */
export interface TimeoutMapConstructor {
  /**
   * Makes an empty map. It has all methods of a `Map`, but is no instance of it. No method and no iteration sees an entry that
   * has expired. An entry lives at least for its ttl, which counts from the next reading of the clock. The map reads the clock
   * in its first call of a turn of the event loop, once in 64 calls, and at the end of the turn. All methods are O(1)
   * amortised, except `clear` and iterations. A loop that ends early ends its iterator. The iterator of a `Map` goes on.
   *
   * The wheel refers to the map from its first entry that can expire until at most ten seconds after the last has expired.
   * Without `onExpire`, an expired key can stay in memory for ten seconds, without its value.
   *
   * @throws TypeError if an option is of the wrong type or unknown, RangeError if `ttl` or `max` is out of range
   */
  new <K, V>(options?: TimeoutMapOptions<K, V>): TimeoutMap<K, V>
}
