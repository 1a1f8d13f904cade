/** Makes random programs of timer calls, which child.cjs runs. */
import { type Random, randomFrom } from '../contract/random.js'
import { DELAY_NAMES } from './values.cjs'

/** A step of a program, by its name in `OPERATIONS` of child.cjs. */
export interface Operation {
  op: string
  /** The operations that this one runs. */
  body?: Operation[]
  [option: string]: unknown
}

export interface Program {
  seed: number
  /** Whether there are handlers of uncaught exceptions and unhandled rejections. */
  handlers: boolean
  /** Whether async_hooks are enabled and write to the log. */
  hooks: boolean
  /** Whether the fields of handles are logged, for which the wheel carries out what is queued. */
  fields: boolean
  /** Stretches of time, in milliseconds, in which the process does not run. Timers that are due by their end are due at once. */
  stalls: [from: number, to: number][]
  main: Operation[]
  /** The operations that run when the event loop is empty: the first time, the second time and so on. */
  beforeExit: Operation[][]
}

const DELAYS = [1, 2, 3, 5, 10, 20, 25, 40, 50, 100]
const STORES = ['a', 'b', 'c']
const MAX_DEPTH = 4

class Generator {
  readonly #random: Random
  readonly #delays: number[]
  readonly #kinds: string[]
  /** The remaining number of operations of the whole program, so that programs stay readable. */
  #left: number
  #timers = 0
  #names = 0

  /** The relative frequency of each operation, and a function that chooses its options. */
  readonly #choices: Record<string, [weight: number, options: (depth: number) => Partial<Operation>]> = {
    timeout: [26, (depth) => this.#set('setTimeout', depth)],
    interval: [5, (depth) => ({ ...this.#set('setInterval', depth), runs: 1 + this.#random.below(4) })],
    clear: [11, () => ({ ...this.#target(), by: this.#random.pick(WAYS_TO_CLEAR) })],
    refresh: [9, () => this.#target()],
    unref: [3, () => this.#target()],
    ref: [2, () => this.#target()],
    hasRef: [1, () => this.#target()],
    number: [2, () => this.#target()],
    tick: [4, (depth) => this.#body(depth)],
    microtask: [3, (depth) => this.#body(depth)],
    promise: [2, (depth) => this.#body(depth)],
    async: [2, (depth) => this.#body(depth)],
    immediate: [4, (depth) => this.#body(depth)],
    run: [5, (depth) => ({ store: this.#random.pick(STORES), body: this.operations(3, depth + 1) })],
    exit: [1, (depth) => ({ body: this.operations(2, depth + 1) })],
    enter: [1, () => ({ store: this.#random.pick(STORES) })],
    // In code that the event loop calls. An error in the main program would end it with nothing to compare.
    throw: [
      4,
      (depth) => (depth === 0 ? { op: 'tick', body: [{ op: 'throw', ...this.#name() }] } : this.#name()),
    ],
    reject: [2, () => this.#name()],
    block: [6, () => ({})],
  }

  constructor(random: Random) {
    this.#random = random
    // Few delays, so that many timers share one, and many are due together.
    this.#delays = Array.from({ length: 2 + random.below(3) }, () => this.#random.pick(DELAYS))
    this.#left = 8 + random.below(25)
    const excluded = random.pick(['block', 'immediate'])
    // Few kinds of operations besides timers, so that each occurs often.
    this.#kinds = Object.entries(this.#choices).flatMap(([kind, [weight]]) => {
      // Not both: only Node runs timers that are overdue before immediates.
      if (kind === excluded) return []
      const isLeftOut = kind !== 'timeout' && random.below(3) === 0
      return isLeftOut ? [] : Array<string>(weight).fill(kind)
    })
  }

  operations(most: number, depth = 0): Operation[] {
    const count = Math.min(1 + this.#random.below(most), this.#left)
    this.#left -= count
    return Array.from({ length: count }, () => {
      const op = this.#random.pick(this.#kinds)
      return { op, ...this.#choices[op]![1](depth) }
    })
  }

  #body(depth: number): { body: Operation[] } {
    const isEmpty = depth >= MAX_DEPTH || this.#random.below(4) === 0
    return { body: isEmpty ? [] : this.operations(4, depth + 1) }
  }

  #name(): { name: string } {
    return { name: `e${++this.#names}` }
  }

  #set(kind: string, depth: number): Operation {
    const id = ++this.#timers
    const delay =
      this.#random.below(12) === 0 ? this.#random.pick(DELAY_NAMES) : this.#random.pick(this.#delays)
    const args = Array.from({ length: this.#random.below(6) < 4 ? 0 : 1 + this.#random.below(4) }, () =>
      this.#random.pick(['x', 'y', 'object']),
    )
    const unref = this.#random.below(12) === 0
    return { op: 'set', id, kind, delay, args, unref, ...this.#body(depth) }
  }

  /** Picks a timer, most often a recent one. It may also be a later one, which exists when the operation runs again. */
  #target(): { target: number } {
    const back = this.#random.below(this.#random.below(3) === 0 ? 12 : 4)
    return { target: Math.max(1, this.#timers + 1 - back) }
  }

  stalls(): [number, number][] {
    const stalls: [number, number][] = []
    let end = 0
    while (this.#random.below(3) > 0) {
      const from = end + this.#random.below(60)
      end = from + 5 + this.#random.below(60)
      stalls.push([from, end])
    }
    return stalls
  }

  beforeExit(): Operation[][] {
    return Array.from({ length: this.#random.below(3) }, () => this.operations(3))
  }
}

const WAYS_TO_CLEAR = ['handle', 'handle', 'clearInterval', 'number', 'text', 'close', 'dispose']

/** Makes the program of a seed. */
export function programOf(seed: number): Program {
  const random = randomFrom(seed)
  const handlers = random.below(6) > 0
  // Without hooks if an exception may end the process: then Node does not report the end of the callback, and ours does.
  const hooks = handlers && random.below(2) === 0
  const fields = random.below(3) === 0
  const generator = new Generator(random)
  const stalls = generator.stalls()
  const main = generator.operations(12)
  return { seed, handlers, hooks, fields, stalls, main, beforeExit: generator.beforeExit() }
}
