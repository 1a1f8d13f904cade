/** Makes the random operations of a program, with and without an interruption. */
import { performance } from 'node:perf_hooks'
import { check, perform } from './operations.mjs'
import { NEW, OVER, PENDING, Timer, UNKNOWN } from './timers.mjs'

/** Timers with delays up to this run while the program waits, in milliseconds. */
export const SHORT = 6
const MEDIUM = 120
const MOST_INTERVALS = 8
/** The number of runs in which a callback performs its action. */
const MOST_ACTIONS = 3
/** The ways to clear a handle. */
const WAYS = [0, 0, 0, 1, 2, Symbol.dispose ?? Symbol.for('Symbol.dispose')]
/** Delays at which the library changes its method: the limits of a block of the refresh log, of a record's deadline and others. */
const BOUNDARIES = [64, 256, 131_072, 2 ** 24, 2 ** 29, 2 ** 31 - 1]
const FAR = [2 ** 29, 2 ** 31, 2 ** 31 + 0.5, 2 ** 32, 2 ** 40]

const COMMON = ['set', 'set', 'set', 'set', 'clear', 'clear', 'cancel', 'cancel']
const OTHERS = 'reschedule reschedule refresh refresh refresh ref unref unref number'.split(' ')

export class Programs {
  /** @param {boolean} movesTime whether interrupted operations may advance virtual time */
  constructor(random, interrupt, movesTime) {
    this.random = random
    this.interrupt = interrupt
    this.movesTime = movesTime
  }

  /** Returns a delay. It is short on the wheel that cannot be stopped, if the timer may be lost. */
  delay(subject, kind, mayBeLost) {
    const { random } = this
    // A promise can be cleared only by a signal.
    const isBounded = kind === 'promise' || (mayBeLost && subject.isShared)
    const length = random.below(isBounded ? 12 : 20)
    if (kind === 'id' && length > 17) return random.pick(FAR) + random.below(3)
    if (kind === 'id' && length < 4) return random() * SHORT
    if (length < 12) return random.between(1, SHORT)
    if (length < 17) return random.between(SHORT + 1, MEDIUM)
    const near = random.pick(BOUNDARIES) + random.between(-2, 2)
    return random.oneIn(2) ? random.between(1000, 3_600_000) : Math.min(near, 2 ** 31 - 1)
  }

  kind(subject) {
    const { random } = this
    if (subject.isShared)
      return random.pick(['timeout', 'timeout', 'timeout', 'interval', 'promise', 'promise'])
    return random.pick(['timeout', 'timeout', 'timeout', 'interval', 'id', 'id', 'id'])
  }

  /** Makes a timer to set. */
  timer(subject, { isNested, made = subject.timers }) {
    const { random } = this
    let kind = this.kind(subject)
    if (kind === 'interval' && ++subject.intervals > MOST_INTERVALS) kind = 'timeout'
    const timer = new Timer(subject, kind)
    if (!isNested && random.oneIn(12)) timer.action = this.action(subject)
    made.push(timer)
    return timer
  }

  /** Makes the action of a callback: operations, sometimes interrupted. */
  action(subject) {
    const made = []
    const where = { isNested: true, mayBeLost: true, made }
    const operations = this.operations(subject, this.random.between(1, 6), where)
    const isInterrupted = this.random.oneIn(3)
    let left = MOST_ACTIONS
    return () => {
      // Limits timers that set themselves again.
      if (left-- <= 0 || subject.isDraining) return
      subject.timers.push(...made.splice(0))
      for (const operation of operations) operation.base = performance.now()
      if (isInterrupted) {
        this.interrupt(operations)
        return
      }
      for (const operation of operations) {
        perform(operation)
        check(operation)
      }
    }
  }

  /** `where.isNested`: in a callback. `mayBeLost`: during an interruption. `made` receives the new timers. */
  operations(subject, count, where = {}) {
    return Array.from({ length: count }, () => this.operation(subject, where))
  }

  operation(subject, where) {
    const { random } = this
    if (where.mayBeLost && !where.isNested && random.oneIn(10)) return this.rare(subject)
    const code = random.pick(random.oneIn(2) ? COMMON : OTHERS)
    const timer = code === 'set' ? undefined : this.target(subject, code)
    return timer === undefined ? this.setting(subject, where) : this.on(subject, timer, code, where)
  }

  setting(subject, where) {
    const { random } = this
    const timer = this.timer(subject, where)
    const delay = this.delay(subject, timer.kind, where.mayBeLost)
    const operation = this.of('set', subject, { timer, delay })
    if (timer.kind !== 'promise') return operation
    if (random.oneIn(2)) timer.controller = new AbortController()
    operation.options = { signal: timer.controller?.signal, ref: random.oneIn(2) }
    return operation
  }

  /** Makes an operation on an existing timer. */
  on(subject, timer, code, { mayBeLost }) {
    const { random } = this
    // A timer with a longer delay may be lost; its handle is not.
    let delay = this.delay(subject, timer.kind, mayBeLost && timer.repeats)
    if (code === 'refresh' && random.oneIn(2)) delay = undefined
    const way = code === 'clear' ? random.pick(WAYS) : random.below(2)
    return this.of(code, subject, { timer, delay, way })
  }

  /** Picks a timer that is probably pending, or one that is over. */
  target(subject, code) {
    const { random } = this
    const { timers } = subject
    const wantsId = code === 'cancel' || code === 'reschedule'
    for (let i = 0; i < 10 && timers.length > 0; i++) {
      const timer = random.pick(timers)
      if (timer.kind === 'promise' || (timer.state === NEW && random.oneIn(2))) continue
      if ((timer.kind === 'id') !== wantsId) continue
      if (timer.state !== OVER || random.oneIn(4)) return timer
    }
    return undefined
  }

  /** Makes a rare operation: many timers at once, virtual time, or work without operations. */
  rare(subject) {
    const { random } = this
    const delay = random.between(1, SHORT)
    const way = random.below(2)
    if (subject.isManual && this.movesTime && random.oneIn(2)) {
      const code = subject.usesRunAll && random.oneIn(6) ? 'runAll' : 'advance'
      return this.of(code, subject, { delay: random.oneIn(8) ? random.between(1, 2000) : delay })
    }
    if (random.oneIn(6)) return this.of('work', subject, {})
    if (random.oneIn(3)) {
      const list = subject.timers.filter(({ state }) => state === PENDING || state === UNKNOWN)
      const code = (timer) => (timer.kind === 'id' ? 'cancel' : 'clear')
      return this.of('several', subject, {
        list: list.slice(0, 300).map((timer) => this.on(subject, timer, code(timer), {})),
      })
    }
    const count = random.pick([1, 3, 10, 40, 200])
    return this.of('burst', subject, { count, delay, way })
  }

  /** Sets about as many timers as fill the submissions or the memory. */
  filling(subject, place) {
    const { random } = this
    const count = random.pick([2048, 2048, 4096, place]) - random.between(-2, 40)
    return this.of('burst', subject, { count, delay: random.between(1, SHORT), way: random.below(2) })
  }

  of(code, subject, how) {
    return { code, subject, base: performance.now(), hasReturned: false, before: undefined, ...how }
  }
}
