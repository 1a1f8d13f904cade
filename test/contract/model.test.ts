/** Random programs run on a manual wheel and on a sorted list, and each step is compared. */

import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { type Backend, manualWheel, onEachBackend, type Wheel } from './backends.js'
import { newSeed, type Random, randomFrom } from './random.js'

const PROGRAMS = scaled(30, 200)
const STEPS = 250
/**
 * Start times of programs: `before` milliseconds before 2^`bits`. They lie just before the ends of the levels' spans, of the
 * tick range, and of signed tick differences. The last one leaves room for a whole program before 2^53 ms, the largest
 * exact integer of a double. Only one program starts there, and only in the large run, because reaching that time takes seconds.
 */
const CLOCKS = [
  ...[8, 9, 16, 17, 24, 25, 31, 32, 33, 36, 42].map((bits) => ({ bits, before: 3, programs: scaled(3, 20) })),
  { bits: 53, before: 2 ** 41, programs: scaled(0, 1) },
].filter(({ programs }) => programs > 0)
/** Ticks of programs, in milliseconds. Few of these are binary fractions. */
const TICKS = [1, 1, 1, 8, 3, 7, 0.05, 0.051, 0.1, 0.25, 0.3, 0.999, 1.001, 1.5, 1000.001]
/** Programs that start later have ticks of 1 ms: the virtual time of ticks below 1 ms ends at 2^53 microseconds. */
const LATEST_FINE = 2 ** 36
/** Number of runs after which an interval ends. */
const INTERVAL_RUNS = 4

interface Entry {
  name: number
  /** The deadline in ticks. */
  due: number
  order: number
}

/** Converts milliseconds to whole halves of a microsecond. */
const exact = (ms: number): bigint =>
  BigInt(Math.floor(ms)) * 2000n + BigInt(Math.round((ms - Math.floor(ms)) * 2000))

/** Puts a due tick off: to a multiple of the longest step of 1, 2, 3, 4, 6, 8, 12 ... ticks that is at most `slack + 1`. */
function putOff(due: number, slack: number): number {
  const steps = Array.from({ length: 30 }, (_, k) => [2 ** k, 3 * 2 ** k]).flat()
  const step = Math.max(...steps.filter((ticks) => ticks <= slack + 1))
  return Math.ceil(due / step) * step
}

/** Does what the wheel promises, with a list that is searched for each expiration. Its times are exact. */
class Model {
  readonly entries = new Map<number, Entry>()
  readonly #tick: bigint
  readonly #slack: number
  #now: bigint
  #order = 0

  /** @param slack in ticks */
  constructor(tick: number, start: number, slack: number) {
    this.#slack = slack
    this.#tick = exact(tick)
    this.#now = exact(start)
  }

  set(name: number, delay: number): void {
    const next = this.#now / this.#tick + 1n
    const rounded = (this.#now + exact(delay) + this.#tick - 1n) / this.#tick
    const due = putOff(Number(rounded > next ? rounded : next), this.#slack)
    const toWrap = 2 ** 32 - (due % 2 ** 32)
    // The last three ticks before a wrap encode states.
    this.entries.set(name, { name, due: toWrap <= 3 ? due + toWrap : due, order: this.#order++ })
  }

  /** Removes the first entry due up to `end` and moves to its time. Moves to `end` if there is none. */
  advance(end: bigint): number | undefined {
    let first: Entry | undefined
    for (const entry of this.entries.values()) {
      if (first === undefined || (entry.due - first.due || entry.order - first.order) < 0) first = entry
    }
    const due = first === undefined ? 0n : BigInt(first.due) * this.#tick
    if (first === undefined || due > end) {
      this.#now = end
      return undefined
    }
    if (due > this.#now) this.#now = due
    this.entries.delete(first.name)
    return first.name
  }

  endAfter(ms: number): bigint {
    return this.#now + exact(ms)
  }
}

interface Timer {
  kind: 'id' | 'timeout' | 'interval'
  delay: number
  isCleared: boolean
  runs: number
  /** Restarts the timer with the given delay, or with its former delay. */
  restart(delay?: number): void
  cancel(): void
}

/** Applies the same random operations to the wheel and to the model. */
class Program {
  readonly #random: Random
  readonly #wheel: Wheel
  readonly #model: Model
  readonly #tick: number
  /** All times are multiples of it, in milliseconds. After 2^52 ms, a number has no halves. */
  readonly #step: number
  /** All timers; the index is the name. */
  readonly #timers: Timer[] = []
  readonly #lastChild = { wheel: 0, model: 0 }
  readonly ran: number[] = []
  readonly expected: number[] = []

  /** @param start the time of the wheel when the program begins, in milliseconds */
  constructor(backend: Backend, seed: number, start = 0) {
    this.#random = randomFrom(seed)
    const tick = start < LATEST_FINE ? TICKS[this.#random.below(TICKS.length)]! : 1
    this.#tick = tick
    this.#step = start < 2 ** 51 ? 0.5 : 1
    const slack = start < LATEST_FINE ? [0, 0, 0, 1, 6, 1000][this.#random.below(6)]! : 0
    this.#wheel = manualWheel(backend, { tick, slack: slack * tick, asyncContext: seed % 2 === 0 })
    this.#wheel.advance(start)
    this.#model = new Model(tick, start, slack)
  }

  step(): void {
    const choice = this.#random.below(10)
    if (choice < 4) this.#set()
    else if (choice < 7) this.#restart()
    else if (choice < 8) this.#cancel()
    else this.#advance()
  }

  get pending(): [number, number] {
    return [this.#wheel.pending, this.#model.entries.size]
  }

  /**
   * Returns a time up to the span of any level or beyond it: halves of a millisecond, or whole ticks, which a program computes
   * with a rounding error, or microseconds.
   */
  #randomTime(): number {
    const random = this.#random
    const count = random.below(2 ** [3, 5, 9, 17, 25, 34][random.below(6)]!)
    if (this.#tick % 1 === 0) return count * this.#step
    return [count / 2, (count % 2 ** 25) * this.#tick, count / 1000][random.below(3)]!
  }

  #set(): void {
    const wheel = this.#wheel
    const name = this.#timers.length
    const kind = (['id', 'timeout', 'interval'] as const)[this.#random.below(3)]!
    const delay = this.#randomDelay(kind)
    const timer = { kind, delay, isCleared: false, runs: 0 }
    const run = (): void => {
      this.ran.push(name)
      this.#react(name, 'wheel', (child) =>
        wheel.schedule(() => this.ran.push(child), this.#childDelay(child)),
      )
    }
    if (kind === 'id') {
      const id = wheel.schedule(run, delay)
      const restart = (another = delay): void => void wheel.reschedule(id, another)
      this.#timers.push({ ...timer, restart, cancel: () => wheel.cancel(id) })
    } else if (kind === 'timeout') {
      const timeout = wheel.setTimeout(run, delay)
      this.#timers.push({
        ...timer,
        restart: (another) => timeout.refresh(another),
        cancel: () => timeout.close(),
      })
    } else {
      let runs = 0
      const interval = wheel.setInterval(() => {
        run()
        if (++runs === INTERVAL_RUNS) interval.close()
      }, delay)
      this.#timers.push({
        ...timer,
        restart: (another) => interval.refresh(another),
        cancel: () => interval.close(),
      })
    }
    this.#model.set(name, delay)
  }

  /** Returns a delay that this kind of timer does not coerce. */
  #randomDelay(kind: Timer['kind']): number {
    const delay = this.#randomTime()
    return kind === 'id' ? delay : 1 + (Math.floor(delay) % (2 ** 31 - 1))
  }

  /** The callback of every third timer sets another timer. Its name is the next negative number. */
  #react(name: number, side: 'wheel' | 'model', set: (child: number) => void): void {
    if (name >= 0 && name % 3 === 0) set(--this.#lastChild[side])
  }

  #childDelay(child: number): number {
    return ((child * child) % 1_000) * this.#step
  }

  /** Restarts any timer. A handle that has run is set again; a cleared handle stays cleared. */
  #restart(): void {
    const name = this.#random.below(this.#timers.length)
    const timer = this.#timers[name]
    if (timer === undefined) return
    const isPending = this.#model.entries.has(name)
    if (this.#random.below(2) === 0) {
      timer.restart()
    } else {
      const delay = this.#randomDelay(timer.kind)
      timer.restart(delay)
      if (timer.kind !== 'id' && !timer.isCleared) timer.delay = delay
      else if (isPending) return this.#model.set(name, delay)
    }
    if (isPending || (timer.kind !== 'id' && !timer.isCleared)) this.#model.set(name, timer.delay)
  }

  #cancel(): void {
    const name = this.#random.below(this.#timers.length)
    const timer = this.#timers[name]
    if (timer === undefined) return
    timer.cancel()
    timer.isCleared = true
    this.#model.entries.delete(name)
  }

  #advance(): void {
    const ms = this.#randomTime()
    const end = this.#model.endAfter(ms)
    this.#wheel.advance(ms)
    for (;;) {
      const name = this.#model.advance(end)
      if (name === undefined) return
      this.expected.push(name)
      this.#react(name, 'model', (child) => this.#model.set(child, this.#childDelay(child)))
      const timer = this.#timers[name]
      if (timer?.kind !== 'interval') continue
      if (++timer.runs === INTERVAL_RUNS) timer.isCleared = true
      else this.#model.set(name, timer.delay)
    }
  }
}

/** Runs a program and stops at the first step at which the wheel differs from the model. */
function compare(program: Program, seed: number): void {
  for (let step = 0; step < STEPS; step++) {
    program.step()
    const [pending, expected] = program.pending
    const [ran, expectedToRun] = [program.ran.length, program.expected.length]
    if (pending !== expected || ran !== expectedToRun) {
      throw new Error(
        `seed ${seed}, step ${step}: ${pending} pending, expected ${expected}; ${ran} ran, expected ${expectedToRun}`,
      )
    }
  }
  // A few of the callbacks, so that the message shows the seed.
  const at = program.ran.findIndex((name, i) => name !== program.expected[i])
  const around = (names: number[]): number[] => (at < 0 ? [] : names.slice(Math.max(at - 2, 0), at + 8))
  expect({ seed, at, ran: around(program.ran) }).toEqual({ seed, at: -1, ran: around(program.expected) })
}

onEachBackend((backend) => {
  it(`runs ${PROGRAMS} random programs like a sorted list`, () => {
    const firstSeed = newSeed()
    for (let seed = firstSeed; seed < firstSeed + PROGRAMS; seed++) compare(new Program(backend, seed), seed)
  })

  it.each(CLOCKS)(
    'runs $programs on a clock that starts $before ms before 2^$bits ms',
    ({ bits, before, programs }) => {
      const firstSeed = newSeed()
      for (let seed = firstSeed; seed < firstSeed + programs; seed++) {
        compare(new Program(backend, seed, 2 ** bits - before), seed)
      }
    },
  )
})
