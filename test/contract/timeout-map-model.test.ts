/**
 * Random operations on TimeoutMaps of two wheels, also in callbacks, and on a simple model of each: a Map that is searched. The file is long,
 * because the model has each method and option of a map, and its callbacks call them too.
 */
import type { TimeoutMap } from 'timeout-wheel/native'
import { scaled } from '../scale.js'
import { type Backend, manualWheel, onEachBackend, throwerOf, thrownBy, type Wheel } from './backends.js'
import { expectSame, forEachSeed, type Random, randomFrom } from './random.js'

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
  /** The callback runs before this time: the end of the tick in which the timer of the map is due. */
  latest: number
  used: number
  /** After it has expired: whether `onExpire` has to run. */
  tells: boolean
}

/** What a callback does. */
type Change = (mayThrow: boolean) => void

/** A call of a map that can call `dispose`. */
interface Call {
  /** The values that it has to dispose of: value, key and reason. */
  readonly leaving: string[]
  /** What `dispose` has thrown first. */
  thrown?: unknown
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
  /** Whether callbacks of the wheel can run. Without that, they are of a microtask, or of an operation. */
  isRunning = false

  constructor(backend: Backend, tick: number) {
    this.wheel = manualWheel(backend, { tick })
    this.tick = tick
  }

  advance(ms: number): void {
    this.isRunning = true
    try {
      this.wheel.advance(ms)
    } catch (error) {
      if ((error as Error).message !== 'expected') throw error
      return this.advance(0)
    }
    this.isRunning = false
    for (const model of this.models) model.expectNoneLate(this.wheel.now)
  }

  clear(): void {
    this.expectPending(this.wheel.clear())
    this.#cancelOthers()
    for (const model of this.models) {
      model.isArmed = false
      model.silence()
    }
    this.expectPending(this.wheel.pending)
  }

  stop(): void {
    expectSame(this.wheel.stop().length, this.others)
    this.#cancelOthers()
    this.isStopped = true
    for (const model of this.models) model.silence()
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
  readonly #callsBack: boolean
  readonly #disposes: boolean
  readonly #calls: Call[] = []
  /** Errors in microtasks. */
  readonly failures: unknown[] = []
  readonly entries = new Map<unknown, Entry>()
  /** Expired entries whose last callback has not run. */
  readonly waiting: Entry[] = []
  /** Whether the map has a timer, or has had one since `clear()` of the wheel. */
  isArmed = false
  #uses = 0

  /** @param keys how many keys there are. @param change what callbacks do; they throw only if they may */
  constructor(backend: Backend, random: Random, clock: Clock, keys: number, change: Change) {
    this.clock = clock
    clock.models.push(this)
    this.#callsBack = random.below(3) > 0
    this.#disposes = random.below(2) === 0
    this.#options = {
      ttl: random.pick(TTLS),
      max: random.below(2) === 0 ? Number.POSITIVE_INFINITY : 1 + random.below(keys),
      refreshOnGet: random.below(2) === 0,
    }
    const onExpire = (value: number | undefined, key: unknown, ...more: unknown[]): void => {
      expectSame(more.length, 0)
      const entry = this.#expired(value, key, true)
      entry.tells = false
      if (!this.#disposes) this.waiting.splice(this.waiting.indexOf(entry), 1)
      change(true)
    }
    const dispose = (value: number | undefined, key: unknown, reason: string): void => {
      if (reason !== 'expire') return this.#left(value, key, reason, change)
      const { isRunning } = clock
      try {
        this.waiting.splice(this.waiting.indexOf(this.#expired(value, key, false)), 1)
        change(isRunning)
      } catch (error) {
        if (isRunning) throw error
        this.failures.push(error)
      }
    }
    this.map = new backend.TimeoutMap({
      ...this.#options,
      wheel: clock.wheel,
      ...(this.#callsBack && { onExpire }),
      ...(this.#disposes && { dispose }),
    })
  }

  /** Finds the entry of a callback that an expired entry has. */
  #expired(value: number | undefined, key: unknown, tells: boolean): Entry {
    this.sync()
    const { clock, waiting } = this
    if (clock.isRunning) clock.counts.fired++
    const entry = waiting.find((one) => Object.is(one.key, key) && one.value === value && one.tells === tells)
    if (entry === undefined) throw new Error(`no such entry waits: ${shown(key, value)}`)
    // Entries that are due in the same tick have no order among each other, nor have those that a read of a map without a timer ends.
    if (clock.tick === 1 && waiting.every(({ latest }) => latest < Number.POSITIVE_INFINITY))
      expectSame(entry.due, Math.min(...waiting.map(({ due }) => due)))
    this.expectNoneLate(this.now)
    return entry
  }

  /** An operation disposes of a value. */
  #left(value: number | undefined, key: unknown, reason: string, change: Change): void {
    const call = this.#calls.at(-1)
    const i = call === undefined ? -1 : call.leaving.indexOf(shown(value, key, reason))
    if (i === -1) throw new Error(`not to be disposed of: ${shown(value, key, reason)}`)
    call!.leaving.splice(i, 1)
    try {
      change(true)
    } catch (error) {
      call!.thrown ??= error
      throw error
    }
  }

  /** Calls the map, which has to dispose of some values. The model has changed already. */
  #call(leaving: readonly [Entry, string][], operation: () => void): void {
    const call: Call = { leaving: [] }
    for (const [{ key, value }, reason] of this.#disposes ? leaving : [])
      call.leaving.push(shown(value, key, reason))
    this.#calls.push(call)
    let thrown: unknown
    try {
      operation()
    } catch (error) {
      thrown = error
    }
    this.#calls.pop()
    if (thrown !== call.thrown) throw thrown
    expectSame(call.leaving.join(), '')
  }

  /** The timer has ended: of the callbacks of entries that wait, only `dispose` runs, some time. */
  silence(): void {
    this.sync()
    if (!this.#disposes) this.waiting.length = 0
    for (const entry of this.waiting) {
      entry.tells = false
      entry.latest = Number.POSITIVE_INFINITY
    }
  }

  get now(): number {
    return this.clock.wheel.now
  }

  get isTimed(): boolean {
    return this.isArmed && !this.clock.isStopped
  }

  /** Ends what has expired by now. */
  sync(): void {
    const { now, isTimed } = this
    for (const entry of this.entries.values()) {
      if (entry.due > now) continue
      this.entries.delete(entry.key)
      entry.tells = this.#callsBack && isTimed
      if (!isTimed) entry.latest = Number.POSITIVE_INFINITY
      if (entry.tells || this.#disposes) this.waiting.push(entry)
    }
  }

  needsTimer(): boolean {
    this.sync()
    const canExpire = [...this.entries.values()].some(({ due }) => due < Number.POSITIVE_INFINITY)
    return this.isArmed && (canExpire || this.waiting.length > 0)
  }

  expectNoneLate(now: number): void {
    const late = this.waiting.filter(({ latest }) => latest <= now)
    if (late.length > 0) expect(late).toEqual([])
  }

  /** Counts a use of an entry, which can start its ttl. */
  #use(entry: Entry, renews: boolean): void {
    entry.used = ++this.#uses
    if (!renews) return
    if (entry.ttl < Number.POSITIVE_INFINITY) this.isArmed = true
    entry.due = Math.ceil(this.now + entry.ttl)
    const { tick } = this.clock
    // If the ttl is 0, the timer is due in a millisecond.
    entry.latest = (Math.floor(Math.max(entry.due, this.now + 1) / tick) + 1) * tick
  }

  /** Sets an entry by a method of the map. */
  #put(key: unknown, value: number | undefined, ttl: number, put: () => void): void {
    const own = { key: key === 0 ? 0 : key, value, ttl, due: 0, latest: 0, used: 0, tells: false }
    const entry = this.entries.get(key) ?? own
    const leaving: [Entry, string][] = []
    if (entry === own) {
      if (this.clock.isStopped && ttl < Number.POSITIVE_INFINITY) {
        expect(thrownBy(put)).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
        return
      }
      if (this.entries.size >= this.#options.max) {
        const oldest = [...this.entries.values()].reduce((a, b) => (a.used < b.used ? a : b))
        this.entries.delete(oldest.key)
        leaving.push([oldest, 'evict'])
      }
      this.entries.set(key, entry)
    } else if (entry.value !== value) leaving.push([{ ...entry }, 'set'])
    Object.assign(entry, { value, ttl })
    this.#use(entry, true)
    this.#call(leaving, put)
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
    const entry = this.entries.get(key)
    const isThere = this.entries.delete(key)
    this.#call(entry ? [[entry, 'delete']] : [], () => expectSame(this.map.delete(key), isThere))
  }

  clear(): void {
    const left = [...this.entries.values()]
    this.entries.clear()
    this.#call(
      left.map((entry) => [entry, 'delete'] as [Entry, string]),
      () => this.map.clear(),
    )
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
    this.#models = clocks.map(
      (clock) => new Model(backend, random, clock, keys, (mayThrow) => this.#callback(mayThrow)),
    )
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
  #callback(mayThrow: boolean): void {
    if (this.#isOver) return
    for (let n = this.#random.below(4); n > 1; n--) this.#change()
    if (mayThrow && this.#throws && this.#random.below(10) === 0) throw new Error('expected')
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
      this.#callback(true)
    }, this.#random.below(300))
  }

  compare(): void {
    for (const model of this.#models) model.forEach(() => {})
  }

  /** Lets all entries expire that can. */
  async end(): Promise<void> {
    this.#isOver = true
    for (const clock of this.#clocks) clock.advance(2 ** 42)
    this.compare()
    for (const model of this.#models) model.clear()
    for (const { wheel } of this.#clocks) expectSame(wheel.pending, 0)
    await undefined
    for (const { waiting, failures } of this.#models) {
      for (const error of failures) throw error
      expectSame(waiting.length, 0)
    }
  }
}

async function runProgram(backend: Backend, seed: number): Promise<void> {
  const program = new Program(backend, seed)
  for (let i = 0; i < OPERATIONS; i++) {
    program.stopsSoon = i > OPERATIONS * 0.9
    program.step()
    if (i % 50 === 0) program.compare()
    if (i % 7 === 0) await undefined
  }
  await program.end()
}

onEachBackend((backend) => {
  it(`agrees with the model in ${PROGRAMS} programs`, () =>
    forEachSeed(PROGRAMS, (seed) => runProgram(backend, seed)))
})
