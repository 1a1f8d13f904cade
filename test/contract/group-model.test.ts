/** Random programs use groups, ids and handles of a manual wheel, and each step is compared with a sorted list. */

import { expect, it } from '@jest/globals'
import type { TimerGroup } from 'timeout-wheel/native'
import { scaled } from '../scale.js'
import { type Backend, manualWheel, onEachBackend, type Wheel } from './backends.js'
import { newSeed, type Random, randomFrom } from './random.js'

const PROGRAMS = scaled(12, 40)
const STEPS = 300
/** Times at which programs begin: 0, and before the ends of the levels' spans and of the range of ticks. */
const STARTS = [0, 0, 0, ...[8, 16, 24, 31, 32, 42].map((bits) => 2 ** bits - 5)]

interface Entry {
  readonly name: number
  /** The group; -1: a timer without a group. */
  readonly group: number
  /** The time of the last add or touch, in ticks. */
  started: number
  /** The deadline in ticks. */
  due: number
  order: number
}

/** The deadline in ticks, for a delay in ticks. */
function deadline(started: number, delay: number): number {
  const whole = Math.floor(started)
  const due = whole + Math.max(Math.ceil(started - whole + delay), 1)
  // The last three ticks before a wrap encode states.
  const toWrap = 2 ** 32 - (due % 2 ** 32)
  return toWrap <= 3 ? due + toWrap : due
}

/** Returns a time up to the span of any level, in halves of a millisecond, so that sums are exact. */
const randomTime = (random: Random): number => random.below(2 ** [3, 5, 7, 9, 17, 33][random.below(6)]!) / 2

/** Applies the same operations to a wheel and to a list. */
class Program {
  readonly #random: Random
  readonly #wheel: Wheel
  readonly #tick: number
  #now: number
  /** The time of the callbacks that run, in ticks. */
  #running = 0
  #order = 0
  readonly #entries = new Map<number, Entry>()
  readonly #groups: { group: TimerGroup<number>; delay: number }[] = []
  /** What touches and removes each timer; the index is its name. */
  readonly #controls: { touch(): boolean; remove(): boolean }[] = []
  /** A change of a delay leaves the order within a tick open. */
  hasOrder = true
  readonly #changesDelays: boolean
  readonly ran: [number, number][] = []
  readonly expected: [number, number][] = []

  constructor(backend: Backend, seed: number) {
    this.#random = randomFrom(seed)
    this.#tick = [1, 1, 1, 8][this.#random.below(4)]!
    const start = this.#tick === 1 ? STARTS[this.#random.below(STARTS.length)]! : 0
    this.#wheel = manualWheel(backend, { tick: this.#tick })
    this.#wheel.advance(start)
    this.#now = start / this.#tick
    const groups = 1 + this.#random.below(4)
    for (let i = 0; i < groups; i++) {
      const delay = this.#randomDelay()
      this.#groups.push({ group: this.makeGroup(delay), delay })
    }
    // Enough for scans.
    const first = [0, 10, 80, 3_000][this.#random.below(4)]!
    for (let i = 0; i < first; i++) this.#add(0)
    this.#changesDelays = this.#random.below(2) === 0
  }

  /**
   * A whole delay: the time of a touch is rounded up to a millisecond, which a whole delay does not change. After 2^31 ms, it is
   * rounded more.
   */
  #randomDelay(): number {
    return Math.max(1, Math.min(Math.ceil(randomTime(this.#random)), 2 ** 31))
  }

  makeGroup(delay: number) {
    return this.#wheel.group((name: number) => this.#note(name), delay)
  }

  step(): void {
    const random = this.#random
    const choice = random.below(20)
    if (choice < 6) this.#add(random.below(this.#groups.length))
    else if (choice < 7) this.#schedule()
    else if (choice < 13) this.#touch()
    else if (choice < 15) this.#remove()
    else if (choice < 16) this.#changeDelay()
    else this.#advance(randomTime(random))
  }

  compare(): void {
    const sizes = this.#groups.map(
      (_, i) => [...this.#entries.values()].filter(({ group }) => group === i).length,
    )
    expect(this.#groups.map(({ group }) => group.size)).toEqual(sizes)
    expect(this.#wheel.pending).toBe(this.#entries.size)
    const sorted = (list: [number, number][]) =>
      this.hasOrder ? list : [...list].sort((a, b) => a[1] - b[1] || a[0] - b[0])
    expect(sorted(this.ran)).toEqual(sorted(this.expected))
    this.ran.length = this.expected.length = 0
  }

  compareItems(): void {
    for (const [i, { group }] of this.#groups.entries()) {
      const names = [...this.#entries.values()].filter((entry) => entry.group === i).map(({ name }) => name)
      expect([...group]).toEqual(names.sort((a, b) => a - b))
    }
  }

  #note(name: number): void {
    this.ran.push([name, this.#running])
  }

  #enter(group: number, delay: number, control: { touch(): boolean; remove(): boolean }): void {
    const name = this.#controls.length
    this.#controls.push(control)
    const due = deadline(this.#now, delay / this.#tick)
    this.#entries.set(name, { name, group, started: this.#now, due, order: this.#order++ })
  }

  #add(i: number): void {
    const { group, delay } = this.#groups[i]!
    const member = group.add(this.#controls.length)
    this.#enter(i, delay, { touch: () => group.touch(member), remove: () => group.delete(member) })
  }

  #schedule(): void {
    const delay = randomTime(this.#random)
    const name = this.#controls.length
    const id = this.#wheel.schedule(() => this.#note(name), delay)
    this.#enter(-1, delay, { touch: () => false, remove: () => this.#wheel.cancel(id) })
  }

  #touch(): void {
    if (this.#controls.length === 0) return
    const name = this.#random.below(this.#controls.length)
    const entry = this.#entries.get(name)
    const isMember = entry !== undefined && entry.group >= 0
    expect([name, this.#controls[name]!.touch()]).toEqual([name, isMember])
    if (!isMember) return
    entry.started = this.#now
    entry.due = deadline(this.#now, this.#groups[entry.group]!.delay / this.#tick)
    entry.order = this.#order++
  }

  #remove(): void {
    if (this.#controls.length === 0) return
    const name = this.#random.below(this.#controls.length)
    expect(this.#controls[name]!.remove()).toBe(this.#entries.delete(name))
  }

  #changeDelay(): void {
    if (!this.#changesDelays) return
    this.hasOrder = false
    const i = this.#random.below(this.#groups.length)
    const of = this.#groups[i]!
    of.delay = of.group.delay = this.#randomDelay()
    for (const entry of this.#entries.values()) {
      if (entry.group !== i) continue
      const due = deadline(entry.started, of.delay / this.#tick)
      entry.due = Math.max(due, Math.floor(this.#now) + 1)
    }
    // Members whose time has passed run as soon as time passes.
    this.#advance((Math.floor(this.#now) + 1 - this.#now) * this.#tick)
  }

  /** Lets time pass in steps that end at the deadlines, so that each callback has the time of its deadline. */
  #advance(ms: number): void {
    const end = this.#now + ms / this.#tick
    for (;;) {
      const due = Math.min(...[...this.#entries.values()].map((entry) => entry.due), end)
      if (due === end && ![...this.#entries.values()].some((entry) => entry.due === end)) break
      this.#running = due
      this.#wheel.advance((due - this.#now) * this.#tick)
      this.#now = due
      const ready = [...this.#entries.values()].filter((entry) => entry.due === due)
      for (const { name } of ready.sort((a, b) => a.order - b.order)) {
        this.#entries.delete(name)
        this.expected.push([name, due])
      }
    }
    this.#wheel.advance((end - this.#now) * this.#tick)
    this.#now = end
  }
}

onEachBackend((backend) => {
  const firstSeed = newSeed()
  it(`runs ${PROGRAMS} random programs like a sorted list (seed ${firstSeed})`, () => {
    for (let seed = firstSeed; seed < firstSeed + PROGRAMS; seed++) {
      const program = new Program(backend, seed)
      try {
        for (let step = 0; step < STEPS; step++) {
          program.step()
          if (step % 4 === 0) program.compare()
          if (step % 100 === 0) program.compareItems()
        }
        program.compare()
      } catch (error) {
        throw new Error(`seed ${seed}: ${(error as Error).message}`)
      }
    }
  })
})
