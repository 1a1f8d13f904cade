/** The class TimeoutMap: see api/timeout-map.ts. */
import type { TimeoutMapConstructor, TimeoutMapOptions } from '../api/timeout-map.js'
import { checkCallback, checkTtl } from '../common/checks.js'
import { DEAD } from './deadlines.js'
import type { Entries, OpenEntries } from './entries.js'

export function timeoutMapClass(openEntries: OpenEntries): TimeoutMapConstructor {
  /** It behaves as an iterator of Map: an ended loop does not close it. */
  class TimeoutMapIterator<T> implements Iterator<T> {
    readonly #next: () => IteratorResult<T>

    constructor(next: () => IteratorResult<T>) {
      this.#next = next
    }

    next(): IteratorResult<T> {
      return this.#next()
    }

    get [Symbol.toStringTag](): string {
      return 'TimeoutMap Iterator'
    }
  }
  // It has Symbol.iterator, and the helpers of the runtime.
  const ofAll: object = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()))
  Object.setPrototypeOf(TimeoutMapIterator.prototype, ofAll)

  class TimeoutMap<K, V> {
    readonly #entries: Entries<K, V>

    constructor(options?: TimeoutMapOptions<K, V>) {
      this.#entries = openEntries(options)
    }

    get(key: K): V | undefined {
      const entries = this.#entries
      if (--entries._calls < 0) entries._read()
      const place = entries._places.get(key)
      if (place === undefined) return undefined
      if (!entries._onlyGets) entries._use(place)
      return entries._values[place]
    }

    set(key: K, value: V, ttl?: number): this {
      const entries = this.#entries
      if (ttl !== undefined) checkTtl(ttl)
      if (--entries._calls < 0) entries._read()
      const place = entries._places.get(key)
      if (place === undefined) entries._add(key, value, ttl)
      else if (entries._isPlain && ttl === undefined && entries._values[place] !== undefined) {
        entries._values[place] = value
        entries._touched[entries._count++] = place
        entries._settleIfRead()
      } else entries._setUnusual(key, place, value, ttl)
      return this
    }

    has(key: K): boolean {
      return this.#entries._find(key) > 0
    }

    peek(key: K): V | undefined {
      const entries = this.#entries
      return entries._values[entries._find(key)]
    }

    touch(key: K): boolean {
      const entries = this.#entries
      const place = entries._find(key)
      if (place === 0) return false
      entries._recency?._use(place)
      entries._keepTouch(place)
      return true
    }

    remaining(key: K): number | undefined {
      const entries = this.#entries
      entries._calls = 0
      const place = entries._find(key)
      if (place === 0) return undefined
      return Math.max(0, Math.min(entries._deadlines._dues[place]! - entries._now, entries._ttlOf(place)))
    }

    delete(key: K): boolean {
      const entries = this.#entries
      const place = entries._find(key)
      if (place === 0) return false
      if (entries._dispose) entries._discard(place)
      else entries._delete(place, key)
      return true
    }

    clear(): void {
      const entries = this.#entries
      entries._read()
      const left = entries._dispose ? [...all(entries, pair)] : []
      // Entries that have expired wait for their callbacks.
      if (entries._first === 0) entries._reset()
      else for (const [key, place] of entries._places) entries._delete(place, key)
      entries._rest()
      const errors: unknown[] = []
      for (const [key, value] of left) {
        try {
          entries._leave(value, key, 'delete')
        } catch (error) {
          errors.push(error)
        }
      }
      for (const error of errors) throw error
    }

    get size(): number {
      const entries = this.#entries
      if (--entries._calls < 0) entries._read()
      return entries._size
    }

    getOrInsert(key: K, value: V): V {
      return this.getOrInsertComputed(key, () => value)
    }

    getOrInsertComputed(key: K, compute: (key: K) => V): V {
      const entries = this.#entries
      checkCallback(compute)
      const place = entries._find(key)
      if (place > 0) {
        const value = entries._values[place] as V
        entries._use(place)
        return value
      }
      // As in a Map, a key of -0 is 0.
      const value = compute(key === 0 ? (0 as K) : key)
      this.set(key, value)
      return value
    }

    forEach(callback: (value: V, key: K, map: never) => unknown, thisArg?: unknown): void {
      const entries = all(this.#entries, pair)
      checkCallback(callback)
      for (const [key, value] of entries) Reflect.apply(callback, thisArg, [value, key, this])
    }

    entries(): IterableIterator<[K, V]> {
      return all(this.#entries, pair)
    }

    keys(): IterableIterator<K> {
      return all(this.#entries, (key) => key)
    }

    values(): IterableIterator<V> {
      return all(this.#entries, (_key, value) => value)
    }

    [Symbol.iterator](): IterableIterator<[K, V]> {
      return all(this.#entries, pair)
    }

    get [Symbol.toStringTag](): string {
      return 'TimeoutMap'
    }
  }

  const pair = <K, V>(key: K, value: V): [K, V] => [key, value]

  function all<K, V, T>(entries: Entries<K, V>, pick: (key: K, value: V) => T): IterableIterator<T> {
    const places = entries._places.entries()
    const next = (): IteratorResult<T> => {
      for (;;) {
        // First, because a reading can end all entries at once.
        if (--entries._calls < 0) entries._read()
        const result = places.next()
        if (result.done) return result
        const [key, place] = result.value
        if (entries._deadlines._dues[place] !== DEAD)
          return { value: pick(key, entries._values[place] as V), done: false }
      }
    }
    return new TimeoutMapIterator(next) as unknown as IterableIterator<T>
  }
  return TimeoutMap as unknown as TimeoutMapConstructor
}
