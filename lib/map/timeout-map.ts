/** The class TimeoutMap: see api/timeout-map.ts. */
import type { TimeoutMapConstructor, TimeoutMapOptions } from '../api/timeout-map.js'
import { checkCallback, checkTtl } from '../common/checks.js'
import type { Entries, OpenEntries } from './entries.js'

const pair = <K, V>(key: K, value: V): [K, V] => [key, value]

export function timeoutMapClass(openEntries: OpenEntries): TimeoutMapConstructor {
  class TimeoutMap<K, V> {
    readonly #entries: Entries<K, V>

    constructor(options?: TimeoutMapOptions<K, V>) {
      this.#entries = openEntries(options)
    }

    get(key: K): V | undefined {
      return this.#entries._get(key)
    }

    set(key: K, value: V, ttl?: number): this {
      const entries = this.#entries
      if (ttl !== undefined) checkTtl(ttl)
      entries._set(key, value, ttl ?? entries._ttl)
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
      if (place > 0) {
        entries._uses?._move(place, 0)
        entries._renew(place)
      }
      return place > 0
    }

    remaining(key: K): number | undefined {
      const entries = this.#entries
      entries._calls = 0
      const place = entries._find(key)
      if (place === 0) return undefined
      return Math.max(0, Math.min(entries._dues[place]! - entries._now, entries._ttlOf(place)))
    }

    delete(key: K): boolean {
      const entries = this.#entries
      const place = entries._find(key)
      if (place === 0) return false
      const value = entries._values[place] as V
      entries._remove(place, key)
      entries._leave(value, key, 'delete')
      return true
    }

    clear(): void {
      const entries = this.#entries
      entries._read()
      const left = entries._dispose ? [...entries._all(pair)] : []
      entries._deleteAll()
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
      return entries._size()
    }

    getOrInsert(key: K, value: V): V {
      return this.#entries._getOrInsert(key, () => value)
    }

    getOrInsertComputed(key: K, compute: (key: K) => V): V {
      const entries = this.#entries
      checkCallback(compute)
      return entries._getOrInsert(key, compute)
    }

    forEach(callback: (value: V, key: K, map: never) => unknown, thisArg?: unknown): void {
      const entries = this.#entries._all(pair)
      checkCallback(callback)
      for (const [key, value] of entries) Reflect.apply(callback, thisArg, [value, key, this])
    }

    entries(): IterableIterator<[K, V]> {
      return this.#entries._all(pair)
    }

    keys(): IterableIterator<K> {
      return this.#entries._all((key) => key)
    }

    values(): IterableIterator<V> {
      return this.#entries._all((_key, value) => value)
    }

    [Symbol.iterator](): IterableIterator<[K, V]> {
      return this.entries()
    }

    get [Symbol.toStringTag](): string {
      return 'TimeoutMap'
    }
  }
  return TimeoutMap as unknown as TimeoutMapConstructor
}
