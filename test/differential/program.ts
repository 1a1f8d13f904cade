/** Makes random programs of timer calls, which child.cjs runs. */
import { type Random, randomFrom } from '../contract/random.js'
import { CALLBACKS, DELAY_NAMES, NO_TIMERS } from './values.cjs'

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
  /** Whether the fields of handles are logged, which makes the wheel compute the true deadline of a refreshed timer. */
  fields: boolean
  /** Whether the module domain is loaded, which changes how errors leave callbacks. */
  domain: boolean
  /**
   * Stretches of time, in milliseconds, in which the process does not run. Timers that are due by their end are due at
   * once.
   */
  stalls: [from: number, to: number][]
  main: Operation[]
  /** The operations that run when the event loop is empty: the first time, the second time and so on. */
  beforeExit: Operation[][]
}

const DELAYS = [1, 2, 3, 5, 10, 20, 25, 40, 50, 100]
const STORES = ['a', 'b', 'c']
const MAX_DEPTH = 4

/** The relative frequency of each operation. */
const WEIGHTS = {
  timeout: 26,
  interval: 5,
  clear: 11,
  refresh: 9,
  unref: 3,
  ref: 2,
  hasRef: 1,
  number: 2,
  tick: 4,
  microtask: 3,
  promise: 2,
  async: 2,
  immediate: 4,
  run: 5,
  exit: 1,
  enter: 1,
  throw: 4,
  reject: 2,
  badCallback: 1,
  clearOdd: 1,
  block: 6,
  domain: 4,
}
type Kind = keyof typeof WEIGHTS

class Generator {
  readonly #random: Random
  readonly #delays: number[]
  readonly #kinds: Kind[]
  /** The remaining number of operations of the whole program, so that programs stay readable. */
  #left: number
  #timers = 0
  #names = 0

  constructor(random: Random, domain: boolean) {
    this.#random = random
    // Few delays, so that many timers share one, and many are due together.
    this.#delays = Array.from({ length: 2 + random.below(3) }, () => this.#one(DELAYS))
    this.#left = 8 + random.below(25)
    // Few kinds of operations besides timers, so that each occurs often.
    this.#kinds = (Object.keys(WEIGHTS) as Kind[]).flatMap((kind) => {
      if (kind === 'domain' && !domain) return []
      const isLeftOut = kind !== 'timeout' && random.below(3) === 0
      return isLeftOut ? [] : Array<Kind>(WEIGHTS[kind]).fill(kind)
    })
  }

  #one<T>(choices: readonly T[]): T {
    return choices[this.#random.below(choices.length)]!
  }

  operations(most: number, depth = 0): Operation[] {
    const count = Math.min(1 + this.#random.below(most), this.#left)
    this.#left -= count
    return Array.from({ length: count }, () => this.#operation(depth))
  }

  #body(depth: number): Operation[] {
    return depth >= MAX_DEPTH || this.#random.below(4) === 0 ? [] : this.operations(4, depth + 1)
  }

  #operation(depth: number): Operation {
    const op = this.#one(this.#kinds)
    switch (op) {
      case 'timeout':
        return this.#set('setTimeout', depth)
      case 'interval':
        return { ...this.#set('setInterval', depth), runs: 1 + this.#random.below(4) }
      case 'clear':
        return { op, target: this.#target(), by: this.#one(WAYS_TO_CLEAR) }
      case 'refresh':
      case 'ref':
      case 'unref':
      case 'hasRef':
      case 'number':
        return { op, target: this.#target() }
      case 'run':
        return { op, store: this.#one(STORES), body: this.operations(3, depth + 1) }
      case 'exit':
        return { op, body: this.operations(2, depth + 1) }
      case 'enter':
        return { op, store: this.#one(STORES) }
      case 'throw':
        // In code that the event loop calls. An error in the main program would end it with nothing to compare.
        return depth === 0 ? { op: 'immediate', body: [this.#named(op)] } : this.#named(op)
      case 'reject':
        return this.#named(op)
      case 'badCallback':
        return { op, kind: this.#one(SETTERS), value: this.#one(Object.keys(CALLBACKS)) }
      case 'clearOdd':
        return { op, value: this.#one(Object.keys(NO_TIMERS)) }
      case 'block':
        return { op }
      case 'domain':
        return { ...this.#named(op), body: this.operations(3, depth + 1) }
      default:
        return { op, body: this.#body(depth) }
    }
  }

  #named(op: string): Operation {
    return { op, name: `e${++this.#names}` }
  }

  #set(kind: string, depth: number): Operation {
    const id = ++this.#timers
    const delay = this.#random.below(12) === 0 ? this.#one(DELAY_NAMES) : this.#one(this.#delays)
    const args = Array.from({ length: this.#random.below(6) < 4 ? 0 : 1 + this.#random.below(4) }, () =>
      this.#one(['x', 'y', 'object']),
    )
    const unref = this.#random.below(12) === 0
    return { op: 'set', id, kind, delay, args, unref, body: this.#body(depth) }
  }

  /** Picks a timer, most often a recent one. It may also be a later one, which exists when the operation runs again. */
  #target(): number {
    const back = this.#random.below(this.#random.below(3) === 0 ? 12 : 4)
    return Math.max(1, this.#timers + 1 - back)
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
const SETTERS = ['setTimeout', 'setInterval']

/** Makes the program of a seed. */
export function programOf(seed: number): Program {
  const random = randomFrom(seed)
  const handlers = random.below(6) > 0
  const domain = random.below(6) === 0
  // Without hooks if an exception may end the process: then Node does not report the end of the callback, and ours does.
  const hooks = handlers && random.below(2) === 0
  const fields = random.below(3) === 0
  const generator = new Generator(random, domain)
  const stalls = generator.stalls()
  return {
    seed,
    handlers,
    hooks,
    fields,
    domain,
    stalls,
    main: generator.operations(12),
    beforeExit: generator.beforeExit(),
  }
}
