/** Random operations on a TimeoutMap and on a simple model of it: a list that is searched. */

import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend } from './backends.js'
import { expectSame, newSeed, type Random, randomFrom } from './random.js'

const OPERATIONS = 2000
const PROGRAMS = scaled(3, 8)

interface Entry {
  key: number
  value: number | undefined
  ttl: number
  due: number
  used: number
}

interface Settings {
  ttl: number
  max: number
  refreshOnGet: boolean
}

/** The same map, slow and plain. Entries are in the order of a Map. */
class Model {
  readonly #settings: Settings
  entries: Entry[] = []
  expired: string[] = []
  #uses = 0
  now = 0

  constructor(settings: Settings) {
    this.#settings = settings
  }

  find(key: number): Entry | undefined {
    return this.entries.find((entry) => entry.key === key)
  }

  use(entry: Entry): void {
    entry.used = ++this.#uses
  }

  renew(entry: Entry): void {
    entry.due = Math.ceil(this.now + entry.ttl)
  }

  set(key: number, value: number | undefined, ttl = this.#settings.ttl): void {
    let entry = this.find(key)
    if (entry === undefined) {
      if (this.entries.length >= this.#settings.max) {
        const oldest = this.entries.reduce((a, b) => (a.used < b.used ? a : b))
        this.delete(oldest.key)
      }
      entry = { key, value, ttl, due: 0, used: 0 }
      this.entries.push(entry)
    }
    entry.value = value
    entry.ttl = ttl
    this.renew(entry)
    this.use(entry)
  }

  get(key: number): number | undefined {
    const entry = this.find(key)
    if (entry === undefined) return undefined
    if (this.#settings.refreshOnGet) this.renew(entry)
    this.use(entry)
    return entry.value
  }

  touch(key: number): boolean {
    const entry = this.find(key)
    if (entry === undefined) return false
    this.renew(entry)
    this.use(entry)
    return true
  }

  delete(key: number): boolean {
    const before = this.entries.length
    this.entries = this.entries.filter((entry) => entry.key !== key)
    return this.entries.length < before
  }

  advance(ms: number): void {
    this.now += ms
    const due = this.entries.filter((entry) => entry.due <= this.now)
    this.entries = this.entries.filter((entry) => entry.due > this.now)
    this.expired.push(...due.map(({ key, value, due }) => `${due}: ${key} ${value}`))
  }
}

function settingsFrom(random: Random): Settings {
  const ttls = [0, 1, 5, 40, 300, 5000, Number.POSITIVE_INFINITY]
  return {
    ttl: ttls[random.below(ttls.length)]!,
    max: random.below(2) === 0 ? Number.POSITIVE_INFINITY : 1 + random.below(40),
    refreshOnGet: random.below(2) === 0,
  }
}

/** A ttl of any length. */
function ttlFrom(random: Random): number {
  if (random.below(20) === 0) return Number.POSITIVE_INFINITY
  const ttl = 2 ** (random() * 20)
  return random.below(2) === 0 ? ttl : Math.floor(ttl)
}

onEachBackend((backend) => {
  function run(seed: number, callsBack: boolean): void {
    const random = randomFrom(seed)
    const settings = settingsFrom(random)
    const model = new Model(settings)
    const wheel = manualWheel(backend)
    let expired: string[] = []
    const map = new backend.TimeoutMap<number, number | undefined>({
      ...settings,
      wheel,
      // Runs at its deadline, because the clock stops at each.
      onExpire: callsBack ? (value, key) => expired.push(`${key} ${value}`) : undefined,
    })
    const keys = 1 + random.below(100)
    const hasOwnTtls = random.below(2) === 0
    for (let i = 0; i < OPERATIONS; i++) {
      const key = random.below(keys)
      const kind = random.below(20)
      if (kind < 8) {
        const value = random.below(10) === 0 ? undefined : i
        const ttl = hasOwnTtls && random.below(2) === 0 ? ttlFrom(random) : undefined
        map.set(key, value, ttl)
        model.set(key, value, ttl)
      } else if (kind < 11) expectSame(map.get(key), model.get(key))
      else if (kind < 12) expectSame(map.touch(key), model.touch(key))
      else if (kind < 13) expectSame(map.delete(key), model.delete(key))
      else if (kind < 14) {
        expectSame(map.has(key), model.find(key) !== undefined)
        expectSame(map.peek(key), model.find(key)?.value)
      } else if (kind < 18) {
        const ms = random.below(4) === 0 ? random.below(10_000) : random.below(20)
        wheel.advance(ms)
        model.advance(ms)
      } else if (random.below(50) === 0) {
        map.clear()
        model.entries = []
      }
      // An entry with a ttl of 0 ends at the next call.
      wheel.advance(0)
      model.advance(0)
      const entry = model.find(key)
      const left = entry && Math.max(0, Math.min(entry.ttl, entry.due - model.now))
      expectSame(map.size, model.entries.length)
      expectSame(map.remaining(key), left)
      if (i % 16 === 0) expect([...map]).toEqual(model.entries.map(({ key, value }) => [key, value]))
    }
    wheel.advance(1)
    model.advance(1)
    expect([...map]).toEqual(model.entries.map(({ key, value }) => [key, value]))
    // Entries that are due in the same millisecond have no order among each other.
    const modelled = model.expired.map((text) => text.replace(/^.*: /, ''))
    expired = expired.sort()
    if (callsBack) expect(expired).toEqual(modelled.sort())
    map.clear()
    expect([map.size, wheel.pending]).toEqual([0, 0])
  }

  const first = newSeed()
  it.each([true, false])(`agrees with the model, with onExpire: %p (seed ${first})`, (callsBack) => {
    for (let i = 0; i < PROGRAMS; i++) {
      try {
        run(first + i, callsBack)
      } catch (error) {
        throw new Error(`TIMEOUT_WHEEL_SEED=${first + i} fails`, { cause: error })
      }
    }
  })
})
