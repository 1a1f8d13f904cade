/** Random programs on a manual wheel, compared step by step with a sorted list. */
import { expect, it } from '@jest/globals'
import { type Backend, manualWheel, onEachBackend, type Wheel } from './backends.js'
import { newSeed, type Random, randomFrom } from './random.js'

const PROGRAMS = 200
const STEPS = 250

interface Entry {
  name: number
  /** In ticks. */
  due: number
  order: number
}

/** What the wheel promises, by a list that is sorted when it is looked at. */
class Model {
  readonly entries = new Map<number, Entry>()
  readonly #tick: number
  #now = 0
  #order = 0

  constructor(tick: number) {
    this.#tick = tick
  }

  set(name: number, delay: number): void {
    const due = Math.max(Math.ceil(this.#now + delay / this.#tick), Math.floor(this.#now) + 1)
    const toWrap = 2 ** 32 - (due % 2 ** 32)
    // These ticks stand for states.
    this.entries.set(name, { name, due: toWrap <= 3 ? due + toWrap : due, order: this.#order++ })
  }

  /** Removes the first entry due up to `end` and moves to its time; or moves on to `end` where there is none. */
  advance(end: number): number | undefined {
    const [first] = [...this.entries.values()].sort((a, b) => a.due - b.due || a.order - b.order)
    if (first === undefined || first.due > end) {
      this.#now = end
      return undefined
    }
    this.#now = Math.max(this.#now, first.due)
    this.entries.delete(first.name)
    return first.name
  }

  endAfter(ms: number): number {
    return this.#now + ms / this.#tick
  }
}

/** Delays and steps of every level's size and beyond, in halves of a millisecond, so that sums are exact. */
function randomTime(random: Random): number {
  return random.below(2 ** [3, 5, 9, 17, 25, 34][random.below(6)]!) / 2
}

/** One program: the same operations on the wheel and on the model. */
class Program {
  readonly #random: Random
  readonly #wheel: Wheel
  readonly #model: Model
  /** Ways to reach a timer on the wheel, by its name. */
  readonly #reschedulers: ((delay: number) => void)[] = []
  readonly #cancellers: (() => void)[] = []
  readonly #isHandle: boolean[] = []
  /** The delay that was given last. */
  #delay = 0
  readonly ran: number[] = []
  readonly expected: number[] = []

  constructor(backend: Backend, seed: number) {
    this.#random = randomFrom(seed)
    const tick = [1, 8][this.#random.below(2)]!
    this.#wheel = manualWheel(backend, { tick, asyncContext: false })
    this.#model = new Model(tick)
  }

  step(): void {
    const choice = this.#random.below(10)
    const name = this.#random.below(Math.max(1, this.#reschedulers.length))
    if (choice < 4) this.#model.set(this.#set(), this.#delay)
    else if (choice < 6) this.#reschedule(name)
    else if (choice < 7) this.#cancel(name)
    else this.#advance()
  }

  get pending(): [number, number] {
    return [this.#wheel.pending, this.#model.entries.size]
  }

  #set(): number {
    const name = this.#reschedulers.length
    const isHandle = this.#random.below(2) === 0
    this.#isHandle.push(isHandle)
    this.#delay = this.#randomDelay(name)
    const run = (): void => {
      this.ran.push(name)
      this.#react(name, (child) => this.#wheel.schedule(() => this.ran.push(child), this.#childDelay(child)))
    }
    if (isHandle) {
      const timeout = this.#wheel.setTimeout(run, this.#delay)
      this.#reschedulers.push((delay) => timeout.refresh(delay))
      this.#cancellers.push(() => timeout.close())
    } else {
      const id = this.#wheel.schedule(run, this.#delay)
      this.#reschedulers.push((delay) => this.#wheel.reschedule(id, delay))
      this.#cancellers.push(() => this.#wheel.cancel(id))
    }
    return name
  }

  /** One that the timer takes as it is. */
  #randomDelay(name: number): number {
    const delay = randomTime(this.#random)
    return this.#isHandle[name] ? 1 + (Math.floor(delay) % (2 ** 31 - 1)) : delay
  }

  /** Every third timer's callback sets another, whose name is negative. */
  #react(name: number, set: (child: number) => void): void {
    if (name >= 0 && name % 3 === 0) set(-1 - name)
  }

  #childDelay(child: number): number {
    return ((child * child) % 1_000) / 2
  }

  #reschedule(name: number): void {
    // A handle that has run would be set again, and a cleared one would not: both are tested elsewhere.
    if (!this.#model.entries.has(name)) return
    const delay = this.#randomDelay(name)
    this.#reschedulers[name]!(delay)
    this.#model.set(name, delay)
  }

  #cancel(name: number): void {
    // Stale ones as well: they must do nothing.
    this.#cancellers[name]?.()
    this.#model.entries.delete(name)
  }

  #advance(): void {
    const ms = randomTime(this.#random)
    const end = this.#model.endAfter(ms)
    this.#wheel.advance(ms)
    for (;;) {
      const name = this.#model.advance(end)
      if (name === undefined) return
      this.expected.push(name)
      this.#react(name, (child) => this.#model.set(child, this.#childDelay(child)))
    }
  }
}

onEachBackend((backend) => {
  it(`runs ${PROGRAMS} random programs as a sorted list does`, () => {
    const firstSeed = newSeed()
    for (let seed = firstSeed; seed < firstSeed + PROGRAMS; seed++) {
      const program = new Program(backend, seed)
      for (let step = 0; step < STEPS; step++) {
        program.step()
        const [pending, expected] = program.pending
        if (pending !== expected || program.ran.length !== program.expected.length) {
          throw new Error(`seed ${seed}, step ${step}: ${pending} pending, expected ${expected}`)
        }
      }
      expect({ seed, ran: program.ran }).toEqual({ seed, ran: program.expected })
    }
  })
})
