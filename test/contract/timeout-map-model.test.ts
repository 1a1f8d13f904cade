/** Random operations on TimeoutMaps of two wheels, also in callbacks, and on a simple model of each: a Map that is searched. */
import { expect, it } from '@jest/globals'
import type { TimeoutMap } from 'timeout-wheel/native'
import { scaled } from '../scale.js'
import { type Backend, manualWheel, onEachBackend, throwerOf, thrownBy, type Wheel } from './backends.js'
import { advanceThrough, expectSame, forEachSeed, type Random, randomFrom } from './random.js'

const OPERATIONS = 1200
const PROGRAMS = scaled(5, 20)
const TTLS = [0, 1, 5, 40, 300, 5000, Number.POSITIVE_INFINITY]

const trap = throwerOf(new Error('the key was looked at'))
const PROXY = new Proxy({}, { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap })
/** The first keys; the others are their numbers. */
const KEYS = [-0, Number.NaN, undefined, null, '', Symbol('key'), 10n, Object.freeze({}), PROXY]
const PLACES = new Map<unknown, number>(KEYS.map((key, i) => [key, i]))
/** What stands for a key. As in a Map, a key of -0 is 0. */
const nameOf = (key: unknown): unknown => (Object.is(key, -0) ? '-0' : (PLACES.get(key) ?? key))
const shown = (...list: unknown[]): string => list.flat().map(nameOf).join()

/** A ttl of any length. */
function ttlFrom(random: Random): number {
  if (random.below(20) === 0) return Number.POSITIVE_INFINITY
  const ttl = 2 ** (random() * random.pick([5, 20, 20, 41]))
  return random.below(2) === 0 ? ttl : Math.floor(ttl)
}

interface Entry {
  readonly key: unknown
  value: number | undefined
  ttl: number
  due: number
  /** The tick at whose end the callback runs, in milliseconds: if the ttl is 0, the next one. */
  latest: number
  used: number
}

/** A wheel, and what is known of its timers. */
class Clock {
  readonly wheel: Wheel
  readonly tick: number
  readonly models: Model[] = []
  /** The number of pending timers that are of no map. */
  others = 0
  /** What stats() shows of them, and of the callbacks of maps. */
  readonly counts = { scheduled: 0, fired: 0, cancelled: 0 }
  #setByMaps = 0
  isStopped = false

  constructor(backend: Backend, tick: number) {
    this.wheel = manualWheel(backend, { tick })
    this.tick = tick
  }

  advance(ms: number): void {
    advanceThrough(this.wheel, ms)
    for (const model of this.models) model.expectNoneLate(this.wheel.now)
  }

  clear(): void {
    this.expectPending(this.wheel.clear())
    this.#cancelOthers()
    for (const model of this.models) {
      model.isArmed = false
      model.waiting.length = 0
    }
    this.expectPending(this.wheel.pending)
  }

  stop(): void {
    expectSame(this.wheel.stop().length, this.others)
    this.#cancelOthers()
    this.isStopped = true
    for (const model of this.models) model.waiting.length = 0
    expectSame(this.wheel.pending, 0)
  }

  #cancelOthers(): void {
    this.counts.cancelled += this.others
    this.others = 0
  }

  /** A timer that a map has set is either pending, or counts as cancelled. */
  expectCounts(): void {
    const { pending, scheduled, fired, cancelled } = this.wheel.stats()
    const setByMaps = scheduled - this.counts.scheduled
    const ended = setByMaps - (pending - this.others)
    expectSame(pending, this.wheel.pending)
    expectSame(`${fired} ${cancelled}`, `${this.counts.fired} ${this.counts.cancelled + ended}`)
    expectSame(setByMaps >= this.#setByMaps, true)
    this.#setByMaps = setByMaps
  }

  /** A map counts as one timer while an entry can expire or waits, and may do so for a while after that. */
  expectPending(pending: number): void {
    if (this.isStopped) return
    const least = this.others + this.models.filter((model) => model.needsTimer()).length
    const most = this.others + this.models.filter(({ isArmed }) => isArmed).length
    if (pending < least || pending > most) expect([least, pending]).toEqual([pending, most])
  }
}

/** A map, and what it holds. */
class Model {
  readonly map: TimeoutMap<unknown, number | undefined>
  readonly clock: Clock
  readonly #options: { ttl: number; max: number; refreshOnGet: boolean }
  readonly callsBack: boolean
  readonly entries = new Map<unknown, Entry>()
  /** Expired entries whose callbacks have not run. */
  readonly waiting: Entry[] = []
  /** Whether the map has a timer, or has had one since `clear()` of the wheel. */
  isArmed = false
  #uses = 0

  /** @param keys how many keys there are. @param change what callbacks do */
  constructor(backend: Backend, random: Random, clock: Clock, keys: number, change: () => void) {
    this.clock = clock
    clock.models.push(this)
    this.callsBack = random.below(3) > 0
    this.#options = {
      ttl: random.pick(TTLS),
      max: random.below(2) === 0 ? Number.POSITIVE_INFINITY : 1 + random.below(keys),
      refreshOnGet: random.below(2) === 0,
    }
    const onExpire = (value: number | undefined, key: unknown): void => {
      this.sync()
      clock.counts.fired++
      const i = this.waiting.findIndex((entry) => Object.is(entry.key, key) && entry.value === value)
      const { due } = this.waiting[i]!
      // Entries that are due in the same tick have no order among each other.
      if (clock.tick === 1) expectSame(due, Math.min(...this.waiting.map((entry) => entry.due)))
      this.expectNoneLate(this.now - clock.tick)
      this.waiting.splice(i, 1)
      change()
    }
    const callback = this.callsBack ? onExpire : undefined
    this.map = new backend.TimeoutMap({ ...this.#options, onExpire: callback, wheel: clock.wheel })
  }

  get now(): number {
    return this.clock.wheel.now
  }

  /** Ends what has expired by now. */
  sync(): void {
    const { now } = this
    for (const entry of this.entries.values()) {
      if (entry.due > now) continue
      this.entries.delete(entry.key)
      if (this.callsBack && this.isArmed && !this.clock.isStopped) this.waiting.push(entry)
    }
  }

  needsTimer(): boolean {
    this.sync()
    const canExpire = [...this.entries.values()].some(({ due }) => due < Number.POSITIVE_INFINITY)
    return this.isArmed && (canExpire || this.waiting.length > 0)
  }

  /** @param end the callbacks that are due up to this time have run */
  expectNoneLate(end: number): void {
    const late = this.waiting.filter(({ latest }) => latest <= end)
    if (late.length > 0) expect(late).toEqual([])
  }

  /** Counts a use of an entry, which can start its ttl. */
  #use(entry: Entry, renews: boolean): void {
    entry.used = ++this.#uses
    if (!renews) return
    if (entry.ttl < Number.POSITIVE_INFINITY) this.isArmed = true
    entry.due = Math.ceil(this.now + entry.ttl)
    const { tick } = this.clock
    entry.latest = Math.max(Math.ceil(entry.due / tick), Math.floor(this.now / tick) + 1) * tick
  }

  /** Sets an entry by a method of the map. */
  #put(key: unknown, value: number | undefined, ttl: number, put: () => unknown): void {
    const own = { key: key === 0 ? 0 : key, value, ttl, due: 0, latest: 0, used: 0 }
    const entry = this.entries.get(key) ?? own
    if (!this.entries.has(key)) {
      if (this.clock.isStopped && ttl < Number.POSITIVE_INFINITY) {
        expect(thrownBy(put)).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
        return
      }
      if (this.entries.size >= this.#options.max) {
        const oldest = [...this.entries.values()].reduce((a, b) => (a.used < b.used ? a : b))
        this.entries.delete(oldest.key)
      }
      this.entries.set(key, entry)
    }
    put()
    Object.assign(entry, { value, ttl })
    this.#use(entry, true)
  }

  set(key: unknown, value: number | undefined, ttl?: number): void {
    this.#put(key, value, ttl ?? this.#options.ttl, () => expectSame(this.map.set(key, value, ttl), this.map))
  }

  get(key: unknown): void {
    const entry = this.entries.get(key)
    expectSame(this.map.get(key), entry?.value)
    if (entry) this.#use(entry, this.#options.refreshOnGet)
  }

  touch(key: unknown): void {
    const entry = this.entries.get(key)
    expectSame(this.map.touch(key), entry !== undefined)
    if (entry) this.#use(entry, true)
  }

  getOrInsert(key: unknown, value: number): void {
    const entry = this.entries.get(key)
    const compute = (given: unknown): number => {
      expectSame(shown(given, entry), shown(key === 0 ? 0 : key, undefined))
      return value
    }
    const call = (): unknown =>
      value % 2 === 0 ? this.map.getOrInsert(key, value) : this.map.getOrInsertComputed(key, compute)
    if (entry === undefined) return this.#put(key, value, this.#options.ttl, () => expectSame(call(), value))
    expectSame(call(), entry.value)
    this.#use(entry, this.#options.refreshOnGet)
  }

  delete(key: unknown): void {
    expectSame(this.map.delete(key), this.entries.delete(key))
  }

  clear(): void {
    this.map.clear()
    this.entries.clear()
  }

  /** Begins an iteration. Each call of the result goes on by a step. */
  iterate(kind: 'entries' | 'keys' | 'values'): () => void {
    const real: Iterator<unknown> = this.map[kind]()
    const entries = this.entries.values()
    return () => {
      this.sync()
      const { value: entry, done } = entries.next()
      const item = entry && { entries: [entry.key, entry.value], keys: entry.key, values: entry.value }[kind]
      const next = real.next()
      expectSame(shown(next.value, next.done), shown(item, done))
    }
  }

  /** Compares all entries. @param change changes the map meanwhile */
  forEach(change: () => void): void {
    this.sync()
    const entries = this.entries.values()
    this.map.forEach((value, key, map) => {
      const entry = entries.next().value
      expectSame(shown(key, value, map === this.map), shown(entry?.key, entry?.value, true))
      change()
    })
    expectSame(entries.next().done, true)
  }

  /** Compares what the map tells of a key. */
  look(key: unknown): void {
    this.sync()
    const entry = this.entries.get(key)
    expectSame(this.map.has(key), entry !== undefined)
    expectSame(this.map.peek(key), entry?.value)
    expectSame(this.map.size, this.entries.size)
    expectSame(this.map.remaining(key), entry && Math.max(0, Math.min(entry.ttl, entry.due - this.now)))
  }
}

class Program {
  readonly #random: Random
  readonly #clocks: Clock[]
  readonly #models: Model[]
  readonly #keys: number
  /** Whether entries have ttls of their own. */
  readonly #hasTtls: boolean
  readonly #throws: boolean
  readonly #iterations: (() => void)[] = []
  #values = 0
  stopsSoon = false
  #isOver = false

  constructor(backend: Backend, seed: number) {
    const random = randomFrom(seed)
    this.#random = random
    this.#clocks = [random.pick([1, 1, 3, 10]), 1].map((tick) => new Clock(backend, tick))
    const keys = 2 + random.below(random.pick([10, 100, 1000]))
    this.#keys = keys
    const clocks = [this.#clocks[0]!, ...this.#clocks]
    this.#models = clocks.map((clock) => new Model(backend, random, clock, keys, () => this.#callback()))
    this.#hasTtls = random.below(3) > 0
    this.#throws = random.below(2) === 0
  }

  step(): void {
    const random = this.#random
    const choice = random.below(200)
    if (choice < 160) this.#change()
    else if (choice < 198)
      random.pick(this.#clocks).advance(random.below(random.pick([40, 40, 40, 20_000])) / 2)
    else if (choice < 199) random.pick(this.#models).forEach(() => void this.#change())
    else {
      // More than the map ends at once.
      const model = random.pick(this.#models)
      for (let i = 0; i < 300; i++) {
        model.sync()
        model.set(i, i)
      }
    }
    for (const clock of this.#clocks) {
      clock.expectPending(clock.wheel.pending)
      clock.expectCounts()
    }
  }

  /** What a callback does. */
  #callback(): void {
    if (this.#isOver) return
    for (let n = this.#random.below(4); n > 1; n--) this.#change()
    if (this.#throws && this.#random.below(10) === 0) throw new Error('expected')
  }

  #change(): void {
    const random = this.#random
    const model = random.pick(this.#models)
    const place = random.below(this.#keys)
    const key = place < KEYS.length ? KEYS[place] : place
    const value = random.below(10) === 0 ? undefined : ++this.#values
    const choice = random.below(100)
    model.sync()
    if (choice < 35)
      model.set(key, value, this.#hasTtls && random.below(2) === 0 ? ttlFrom(random) : undefined)
    else if (choice < 50) model.get(key)
    else if (choice < 62) model.touch(key)
    else if (choice < 70) model.getOrInsert(key, ++this.#values)
    else if (choice < 76) model.delete(key)
    else if (choice < 80) this.#iterations.push(model.iterate(random.pick(['entries', 'keys', 'values'])))
    else if (choice < 92) this.#iterations[random.below(this.#iterations.length)]?.()
    else if (choice < 97) this.#schedule(model.clock)
    else if (choice < 98) model.clear()
    else if (choice < 99) model.clock.clear()
    else if (this.stopsSoon) model.clock.stop()
    model.look(key)
  }

  #schedule(clock: Clock): void {
    if (clock.isStopped) return
    clock.others++
    clock.counts.scheduled++
    clock.wheel.schedule(() => {
      clock.others--
      clock.counts.fired++
      this.#callback()
    }, this.#random.below(300))
  }

  compare(): void {
    for (const model of this.#models) model.forEach(() => {})
  }

  /** Lets all entries expire that can. */
  end(): void {
    this.#isOver = true
    for (const clock of this.#clocks) clock.advance(2 ** 42)
    this.compare()
    for (const model of this.#models) model.clear()
    for (const { wheel } of this.#clocks) expectSame(wheel.pending, 0)
  }
}

function runProgram(backend: Backend, seed: number): void {
  const program = new Program(backend, seed)
  for (let i = 0; i < OPERATIONS; i++) {
    program.stopsSoon = i > OPERATIONS * 0.9
    program.step()
    if (i % 50 === 0) program.compare()
  }
  program.end()
}

onEachBackend((backend) => {
  it(`agrees with the model in ${PROGRAMS} programs`, () => {
    forEachSeed(PROGRAMS, (seed) => runProgram(backend, seed))
  })
})
