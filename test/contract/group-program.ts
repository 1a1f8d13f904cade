/** A random program uses groups and ids of a manual wheel, also in callbacks, and each step is compared with a sorted list. */
import { expect } from '@jest/globals'
import type { TimerGroup } from 'timeout-wheel/native'
import { type Backend, manualWheel, thrownBy, type Wheel } from './backends.js'
import { tickFor } from './model-program.js'
import { advanceThrough, expectSame, type Random, randomFrom } from './random.js'

const STEPS = 300
/** Times at which programs begin: 0, and before the ends of the levels' spans and of the range of ticks. */
const STARTS = [0, 0, 0, ...[8, 16, 24, 31, 32, 42].map((bits) => 2 ** bits - 5)]
/** Numbers to which no group gives a meaning, added to a member's number or instead of it. */
const FORGED = [0, -0, -1, 0.5, 1e300, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]

interface Group {
  readonly timers: TimerGroup<number>
  delay: number
  readonly members: Set<Timer>
  /** All numbers that members have had. */
  readonly numbers: Set<number>
}

interface Timer {
  readonly name: number
  /** The number of a member, or an id. */
  readonly number: number
  readonly group: Group | undefined
  /** The time of the last add or touch, and the deadline, in ticks. */
  started: number
  due: number
  order: number
}

/** The deadline in ticks, for a delay in ticks. */
function deadline(started: number, delay: number): number {
  const whole = Math.floor(started)
  return tickFor(whole + Math.max(Math.ceil(started - whole + delay), 1))
}

/** Returns a time up to the span of any level, in halves of a millisecond, so that sums are exact. */
const randomTime = (random: Random): number => random.below(2 ** random.pick([3, 5, 7, 9, 17, 33])) / 2

const sorted = (names: Iterable<number>): number[] => [...names].sort((a, b) => a - b)
const namesOf = (timers: Iterable<Timer>): number[] => [...timers].map(({ name }) => name)
const inOrder = (a: Timer, b: Timer): number => a.due - b.due || a.order - b.order

/** Applies the same operations to a wheel and to a list. */
class Program {
  readonly #random: Random
  readonly #wheel: Wheel
  readonly #maxPending: number
  readonly #tick: number
  #now: number
  #order = 0
  /** All timers that were set, by their names, and those that are pending. */
  readonly #timers: Timer[] = []
  readonly #pending = new Set<Timer>()
  /** What stats() shows. */
  readonly #counts = { scheduled: 0, fired: 0, cancelled: 0 }
  readonly #groups: Group[]
  /** The timers that are due now, in order. A group has an order of its own, which a change of its delay leaves open. */
  #ready: Timer[] = []
  #hasOrder = true
  readonly #changesDelays: boolean
  readonly #throws: boolean
  #stopsSoon = false
  /** Callbacks do nothing. */
  #isQuiet = false

  constructor(backend: Backend, seed: number) {
    const random = randomFrom(seed)
    this.#random = random
    this.#tick = random.pick([1, 1, 1, 8])
    const start = this.#tick === 1 ? random.pick(STARTS) : 0
    const first = random.pick([0, 10, 80, 3_000])
    this.#maxPending = first + random.pick([5, 20, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
    this.#wheel = manualWheel(backend, { tick: this.#tick, maxPending: this.#maxPending })
    this.#wheel.advance(start)
    this.#now = start / this.#tick
    this.#groups = Array.from({ length: random.pick([1, 2, 3, 4, 300]) }, () => this.#newGroup())
    for (let i = 0; i < first; i++) this.#add(this.#groups[first < 3_000 ? i % this.#groups.length : 0]!)
    this.#changesDelays = random.below(2) === 0
    this.#throws = random.below(2) === 0
  }

  #newGroup(): Group {
    const delay = this.#randomDelay()
    return { timers: this.#wheel.group(this.#run, delay), delay, members: new Set(), numbers: new Set() }
  }

  #randomDelay(): number {
    // Whole: the time of a touch is rounded up to a millisecond, which a whole delay does not change. After 2^31 ms it is more.
    return Math.max(1, Math.min(Math.ceil(randomTime(this.#random)), 2 ** 30))
  }

  step(): void {
    const choice = this.#random.below(10)
    if (choice < 7) this.#change()
    else if (choice < 8 && this.#changesDelays) this.#changeDelay()
    else this.#advance(randomTime(this.#random))
  }

  compare(): void {
    for (const { timers, members } of this.#groups) {
      expectSame(`${timers.size}: ${sorted(timers)}`, `${members.size}: ${namesOf(members)}`)
    }
    expect(this.#wheel.stats()).toMatchObject({ pending: this.#pending.size, ...this.#counts })
  }

  /** What a callback may do too. */
  #change(): void {
    const choice = this.#random.below(100)
    const group = this.#random.pick(this.#groups)
    const timer = this.#random.pick(this.#timers)
    if (choice < 30 || timer === undefined) this.#add(group)
    else if (choice < 40) this.#schedule()
    else if (choice < 70) this.#touch(timer)
    else if (choice < 75) {
      const step = 1 + this.#random.below(20)
      for (const member of group.members) if (member.name % step === 0) this.#touch(member)
    } else if (choice < 87) this.#remove(timer)
    else if (choice < 97) this.#forge(group, timer)
    else if (choice < 99) this.#empty(group)
    else this.#clearAll()
    expectSame(this.#wheel.pending, this.#pending.size)
  }

  /** The callback of all timers. */
  readonly #run = (name: number): void => {
    const timer = this.#timers[name]!
    if (this.#hasOrder) {
      while (!this.#isReady(this.#ready[0]!)) this.#ready.shift()
      const first = this.#ready.find((one) => one.group === timer.group && this.#isReady(one))
      expectSame(name, first?.name)
    }
    expectSame(this.#pending.has(timer) && timer.due, this.#now)
    this.#forget(timer)
    this.#counts.fired++
    expectSame(timer.group?.timers.has(timer.number) ?? false, false)
    expectSame(timer.group?.timers.size, timer.group?.members.size)
    if (this.#stopsSoon) return this.stop()
    if (this.#isQuiet) return
    if (this.#random.below(3) === 0) for (let n = this.#random.below(4); n > 0; n--) this.#change()
    if (this.#throws && this.#random.below(10) === 0) throw new Error('expected')
  }

  /** Whether a timer of the list of those that are due is neither over nor touched. */
  readonly #isReady = (timer: Timer): boolean => this.#pending.has(timer) && timer.due === this.#now

  #forget(timer: Timer): void {
    this.#pending.delete(timer)
    timer.group?.members.delete(timer)
  }

  /** Sets a timer, unless the wheel is full. */
  #set(delay: number, group: Group | undefined, set: (name: number) => number): void {
    const name = this.#timers.length
    if (this.#pending.size >= this.#maxPending) {
      const { name: kind, code } = thrownBy(() => set(name)) as Error & { code: string }
      return expectSame(`${kind} ${code}`, 'RangeError ERR_WHEEL_LIMIT')
    }
    const due = deadline(this.#now, delay / this.#tick)
    const timer = { name, number: set(name), group, started: this.#now, due, order: this.#order++ }
    this.#timers.push(timer)
    this.#pending.add(timer)
    this.#counts.scheduled++
    group?.members.add(timer)
  }

  #add(group: Group): void {
    this.#set(group.delay, group, (name) => {
      const number = group.timers.add(name)
      expectSame(number > 0 && Number.isSafeInteger(number) && !group.numbers.has(number), true)
      group.numbers.add(number)
      return number
    })
  }

  #schedule(): void {
    const delay = randomTime(this.#random)
    this.#set(delay, undefined, (name) => this.#wheel.schedule(this.#run, delay, name))
  }

  #touch(timer: Timer): void {
    const { group, number } = timer
    if (group === undefined) return
    const isPending = this.#pending.has(timer)
    expectSame(group.timers.touch(number), isPending)
    timer.started = this.#now
    timer.due = deadline(this.#now, group.delay / this.#tick)
    timer.order = this.#order++
  }

  #remove(timer: Timer): void {
    const { group, number } = timer
    const isPending = this.#pending.has(timer)
    expectSame(group ? group.timers.delete(number) : this.#wheel.cancel(number), isPending)
    if (isPending) this.#counts.cancelled++
    this.#forget(timer)
  }

  /** Uses numbers that the group has not returned. */
  #forge({ timers, numbers: own }: Group, { number }: Timer): void {
    const random = this.#random
    const near = number + (random.below(17) - 8) * random.pick([1, 2 ** 13, 2 ** 26, 2 ** 27, 2 ** 28])
    const numbers = [number, near, number + random.pick(FORGED) + 2 ** 27, random.pick(FORGED)]
    for (const forged of numbers.filter((one) => !own.has(one))) {
      const isKnown = timers.touch(forged) || timers.has(forged) || timers.delete(forged)
      if (isKnown) expect(forged).toBe('unknown')
    }
  }

  #empty(group: Group): void {
    const members = [...group.members]
    for (const member of members) this.#forget(member)
    this.#counts.cancelled += members.length
    if (this.#random.below(2) === 0) return group.timers.clear()
    expect(sorted(group.timers.stop())).toEqual(namesOf(members))
    this.#expectStopped(group)
    this.#groups[this.#groups.indexOf(group)] = this.#newGroup()
  }

  /** Cancels all timers of the wheel, whose groups stay usable. */
  #clearAll(): void {
    const pending = [...this.#pending]
    for (const timer of pending) this.#forget(timer)
    this.#counts.cancelled += pending.length
    expectSame(this.#wheel.clear(), pending.length)
    expect(this.#wheel.pendingTimers()).toEqual([])
  }

  #expectStopped({ timers, members }: Group): void {
    timers.clear()
    timers.delay = 5
    expect([timers.delay, timers.stop(), [...timers], timers.size]).toEqual([5, [], [], 0])
    for (const { number } of members) expectSame(timers.touch(number), false)
    // A full wheel can refuse first.
    if (this.#wheel.pending === this.#maxPending) return
    const message = 'the group or its wheel was stopped: it takes no more members'
    expect(thrownBy(() => timers.add(0))).toMatchObject({ name: 'Error', code: 'ERR_WHEEL_STOPPED', message })
  }

  #changeDelay(): void {
    this.#hasOrder = false
    const group = this.#random.pick(this.#groups)
    group.delay = group.timers.delay = this.#randomDelay()
    const soonest = tickFor(Math.floor(this.#now) + 1)
    for (const member of group.members) {
      member.due = Math.max(deadline(member.started, group.delay / this.#tick), soonest)
    }
    // Members whose time has passed run as soon as time passes, at a time that is not defined.
    this.#isQuiet = true
    this.#advance((soonest - this.#now) * this.#tick)
    this.#isQuiet = false
  }

  /** Lets time pass in steps that end at the deadlines. */
  #advance(ms: number): void {
    const end = this.#now + ms / this.#tick
    for (let due = 0; due < end; ) {
      due = Math.min(end, ...[...this.#pending].map((timer) => timer.due))
      this.#ready = [...this.#pending].filter((timer) => timer.due === due).sort(inOrder)
      const left = (due - this.#now) * this.#tick
      this.#now = due
      advanceThrough(this.#wheel, left)
      expectSame(this.#ready.some(this.#isReady), false)
    }
  }

  /** Stops the wheel now, or in the next callback. */
  end(): void {
    this.#stopsSoon = this.#random.below(2) === 0
    if (this.#stopsSoon && this.#pending.size > 0) this.#advance(2 ** 33)
    else this.stop()
  }

  stop(): void {
    const ordered = (list: unknown[]) =>
      this.#hasOrder ? list : list.map((one) => JSON.stringify(one)).sort()
    const left = [...this.#pending].sort(inOrder).map(({ name, due }) => [name, due])
    const stopped = this.#wheel.stop().map(({ callback, args, remaining }) => {
      expect(callback).toBe(this.#run)
      // Up to a tick of the wheel, as the deadline.
      return [args[0], Math.ceil(remaining / this.#tick + this.#now)]
    })
    expect(ordered(stopped)).toEqual(ordered(left))
    for (const group of this.#groups) this.#expectStopped(group)
    expect(thrownBy(() => this.#newGroup())).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    this.#counts.cancelled += this.#pending.size
    this.#pending.clear()
    expect(this.#wheel.stats()).toMatchObject({ pending: 0, ...this.#counts })
  }
}

export function runGroupProgram(backend: Backend, seed: number): void {
  const program = new Program(backend, seed)
  for (let step = 0; step < STEPS; step++) {
    program.step()
    if (step % 20 === 0) program.compare()
  }
  program.end()
}
