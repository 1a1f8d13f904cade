/** A random program uses groups and ids of a manual wheel, also in callbacks, and each step is compared with a sorted list. */
import { expect } from '@jest/globals'
import type { TimerGroup } from 'timeout-wheel/native'
import { type Backend, manualWheel, thrownBy, type Wheel } from './backends.js'
import { expectSame, type Random, randomFrom } from './random.js'
import { SortedList } from './sorted-list.js'

const STEPS = 300
const TICKS = [1, 1, 1, 8, 0.05, 0.3]
/** Times at which programs begin: 0, and before the ends of the levels' spans. */
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
}

/** Returns a time up to the span of any level, in halves of a millisecond. */
const randomTime = (random: Random): number => random.below(2 ** random.pick([3, 5, 7, 9, 17, 33])) / 2

const sorted = (names: Iterable<number>): number[] => [...names].sort((a, b) => a - b)
const namesOf = (timers: Iterable<Timer>): number[] => [...timers].map(({ name }) => name)

/** Applies the same operations to a wheel and to a list. */
class Program {
  readonly #random: Random
  readonly #wheel: Wheel
  readonly #maxPending: number
  readonly #list: SortedList
  /** All timers that were set, by their names. */
  readonly #timers: Timer[] = []
  readonly #groups: Group[]
  readonly #throws: boolean
  #stopsSoon = false

  constructor(backend: Backend, seed: number) {
    const random = randomFrom(seed)
    this.#random = random
    const tick = random.pick(TICKS)
    const start = tick === 1 ? random.pick(STARTS) : 0
    const first = random.pick([0, 10, 80, 3_000])
    this.#maxPending = first + random.pick([5, 20, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
    this.#wheel = manualWheel(backend, { tick, maxPending: this.#maxPending })
    this.#wheel.advance(start)
    this.#list = new SortedList(tick)
    this.#list.pass(this.#list.endOf(start), start)
    this.#groups = Array.from({ length: random.pick([1, 2, 3, 4, 300]) }, () => this.#newGroup())
    for (let i = 0; i < first; i++) this.#add(this.#groups[first < 3_000 ? i % this.#groups.length : 0]!)
    this.#throws = random.below(2) === 0
  }

  #newGroup(): Group {
    const delay = randomTime(this.#random)
    return { timers: this.#wheel.group(this.#run, delay), delay, members: new Set(), numbers: new Set() }
  }

  step(): void {
    const choice = this.#random.below(10)
    if (choice < 7) this.#change()
    else if (choice < 8) this.#changeDelay()
    else this.#advance(randomTime(this.#random))
  }

  compare(): void {
    for (const { timers, members } of this.#groups) {
      expectSame(`${timers.size}: ${sorted(timers)}`, `${members.size}: ${namesOf(members)}`)
    }
    expect(this.#wheel.stats()).toMatchObject({ pending: this.#list.entries.size, ...this.#list.counts })
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
    expectSame(this.#wheel.pending, this.#list.entries.size)
  }

  /** The callback of all timers. */
  readonly #run = (name: number): void => {
    const timer = this.#timers[name]!
    this.#list.run(name, this.#wheel.now)
    timer.group?.members.delete(timer)
    expectSame(timer.group?.timers.has(timer.number) ?? false, false)
    expectSame(timer.group?.timers.size, timer.group?.members.size)
    if (this.#stopsSoon) return this.stop()
    if (this.#random.below(3) === 0) for (let n = this.#random.below(4); n > 0; n--) this.#change()
    if (this.#throws && this.#random.below(10) === 0) throw new Error('expected')
  }

  #forget(timer: Timer): void {
    this.#list.counts.cancelled++
    this.#list.entries.delete(timer.name)
    timer.group?.members.delete(timer)
  }

  /** Whether a timer of any kind is pending. */
  #isPending(timer: Timer): boolean {
    return this.#list.entries.has(timer.name)
  }

  /** Sets a timer, unless the wheel is full. */
  #set(delay: number, group: Group | undefined, set: (name: number) => number): void {
    const name = this.#timers.length
    if (this.#list.entries.size >= this.#maxPending) {
      const { name: kind, code } = thrownBy(() => set(name)) as Error & { code: string }
      return expectSame(`${kind} ${code}`, 'RangeError ERR_WHEEL_LIMIT')
    }
    const timer = { name, number: set(name), group }
    this.#timers.push(timer)
    this.#list.set(name, delay)
    this.#list.counts.scheduled++
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
    const isPending = this.#isPending(timer)
    expectSame(group.timers.touch(number), isPending)
    if (isPending) this.#list.set(timer.name, group.delay)
  }

  #remove(timer: Timer): void {
    const { group, number } = timer
    const isPending = this.#isPending(timer)
    expectSame(group ? group.timers.delete(number) : this.#wheel.cancel(number), isPending)
    if (isPending) this.#forget(timer)
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
    if (this.#random.below(2) === 0) return group.timers.clear()
    expect(sorted(group.timers.stop())).toEqual(namesOf(members))
    this.#expectStopped(group)
    this.#groups[this.#groups.indexOf(group)] = this.#newGroup()
  }

  /** Cancels all timers of the wheel, whose groups stay usable. */
  #clearAll(): void {
    const pending = this.#list.inOrder
    for (const { name } of pending) this.#forget(this.#timers[name]!)
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

  /** Changes the delay of members that are added or touched from now on. */
  #changeDelay(): void {
    const group = this.#random.pick(this.#groups)
    group.delay = group.timers.delay = randomTime(this.#random)
  }

  #advance(ms: number): void {
    for (let left = ms; ; ) {
      const end = this.#list.endOf(left)
      try {
        this.#wheel.advance(left)
        return this.#list.pass(end, this.#wheel.now)
      } catch (error) {
        if ((error as Error).message !== 'expected') throw error
        left = Math.max(end - this.#list.now, 0)
      }
    }
  }

  /** Stops the wheel now, or in the next callback. */
  end(): void {
    this.#stopsSoon = this.#random.below(2) === 0
    if (!this.#stopsSoon || this.#list.entries.size === 0) return this.stop()
    this.#list.endOf(2 ** 33)
    this.#wheel.advance(2 ** 33)
  }

  stop(): void {
    const left = this.#list.inOrder.map(({ name, due }) => [name, due - this.#list.now])
    const stopped = this.#wheel.stop().map(({ callback, args, remaining }) => {
      expect(callback).toBe(this.#run)
      return [args[0], remaining]
    })
    expect(stopped).toEqual(left)
    for (const group of this.#groups) this.#expectStopped(group)
    expect(thrownBy(() => this.#newGroup())).toMatchObject({ code: 'ERR_WHEEL_STOPPED' })
    this.#list.counts.cancelled += left.length
    this.#list.entries.clear()
    expect(this.#wheel.stats()).toMatchObject({ pending: 0, ...this.#list.counts })
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
