/** `stats()` counts what happened to each timer, after every step and inside callbacks, and until after `stop()`. */

import { expect, it } from '@jest/globals'
import type { TimerGroup } from 'timeout-wheel/native'
import { scaled } from '../scale.js'
import { type Backend, manualWheel, onEachBackend, type Wheel } from './backends.js'
import { newSeed, type Random, randomFrom } from './random.js'

const PROGRAMS = scaled(10, 40)
const STEPS = 150

interface Counts {
  pending: number
  scheduled: number
  fired: number
  cancelled: number
  refreshed: number
}

type Kind = 'id' | 'timeout' | 'interval' | 'member'

interface Timer {
  readonly kind: Kind
  /** `refreshed`: an interval whose own callback has refreshed it. */
  state: 'pending' | 'running' | 'refreshed' | 'over'
  isCleared: boolean
  refresh(delay?: number): void
  clear(): void
}

function countsOf(wheel: Wheel): Counts {
  const { pending, scheduled, fired, cancelled, refreshed } = wheel.stats()
  return { pending, scheduled, fired, cancelled, refreshed }
}

/** Applies random operations to a wheel and counts them itself. */
class Program {
  readonly counts: Counts = { pending: 0, scheduled: 0, fired: 0, cancelled: 0, refreshed: 0 }
  readonly wheel: Wheel
  readonly #random: Random
  readonly #timers: Timer[] = []
  readonly #groups: TimerGroup<{ timer: Timer }>[]
  isStopped = false

  constructor(backend: Backend, random: Random) {
    this.#random = random
    this.wheel = manualWheel(backend, { tick: random.below(4) === 0 ? 7 : 1 })
    this.#groups = [20, 300].map((delay) => this.wheel.group(({ timer }) => this.#run(timer), delay))
  }

  step(): void {
    const choice = this.#random.below(40)
    if (choice < 32) this.#operate(choice)
    else if (choice < 33) this.wheel.trim()
    else if (this.#random.below(60) === 0) this.#clearAll()
    else this.#advance()
  }

  #clearAll(): void {
    expect(this.wheel.clear()).toBe(this.counts.pending)
    for (const timer of this.#timers) if (timer.state === 'pending') timer.isCleared = true
    this.#endAll()
  }

  stop(): void {
    this.wheel.stop()
    this.isStopped = true
    this.#endAll()
  }

  #endAll(): void {
    this.counts.cancelled += this.counts.pending
    this.counts.pending = 0
    for (const timer of this.#timers) timer.state = 'over'
  }

  #operate(choice: number): void {
    if (this.isStopped) return
    if (choice < 14) this.#set()
    else if (choice < 24) this.#refresh(this.#anyTimer())
    else this.#clear(this.#anyTimer())
  }

  /** Advances until no callback throws. */
  #advance(): void {
    const ms = this.#random.below(2 ** [4, 8, 14, 31][this.#random.below(4)]!)
    for (let left = ms; ; left = 0) {
      try {
        this.wheel.advance(left)
        return
      } catch (error) {
        expect(error).toBe(THROWN)
        this.#check()
      }
    }
  }

  #check(): void {
    expect(countsOf(this.wheel)).toEqual(this.counts)
  }

  #anyTimer(): Timer | undefined {
    return this.#timers[this.#random.below(this.#timers.length)]
  }

  #set(): void {
    const { wheel } = this
    const kind = (['id', 'timeout', 'interval', 'member'] as const)[this.#random.below(4)]!
    // Some are beyond the reach of one stage.
    const delay = kind === 'interval' ? 1 + this.#random.below(2 ** 29) : this.#random.below(2 ** 31)
    const near = this.#random.below(3) === 0 ? delay : 1 + (delay % 50)
    const run = (): void => this.#run(timer)
    let timer: Timer
    if (kind === 'member') timer = this.#addMember()
    else if (kind === 'id') {
      const id = wheel.schedule(run, near)
      timer = this.#timer(
        kind,
        (ms = near) => wheel.reschedule(id, ms),
        () => wheel.cancel(id),
      )
    } else {
      const handle = kind === 'timeout' ? wheel.setTimeout(run, near) : wheel.setInterval(run, near)
      timer = this.#timer(
        kind,
        (ms) => handle.refresh(ms),
        () => wheel.clearTimeout(handle),
      )
      if (this.#random.below(4) === 0) handle.unref()
    }
    this.#timers.push(timer)
    this.counts.scheduled++
    this.counts.pending++
  }

  #addMember(): Timer {
    const group = this.#groups[this.#random.below(2)]!
    const item: { timer: Timer } = { timer: undefined as never }
    const member = group.add(item)
    const touch = (): void => void group.touch(member)
    item.timer = this.#timer('member', touch, () => group.delete(member))
    return item.timer
  }

  #timer(kind: Kind, refresh: Timer['refresh'], clear: () => void): Timer {
    return { kind, state: 'pending', isCleared: false, refresh, clear }
  }

  #refresh(timer: Timer | undefined): void {
    if (timer === undefined || this.isStopped) return
    timer.refresh(this.#random.below(2) === 0 ? undefined : 1 + this.#random.below(100))
    if (timer.state === 'pending' || timer.state === 'refreshed') this.counts.refreshed++
    else if (timer.kind === 'id' || timer.kind === 'member' || timer.isCleared) return
    else if (timer.state === 'running') {
      timer.state = 'refreshed'
      this.counts.refreshed++
      this.counts.pending++
    } else {
      timer.state = 'pending'
      this.counts.scheduled++
      this.counts.pending++
    }
  }

  #clear(timer: Timer | undefined): void {
    if (timer === undefined) return
    timer.clear()
    if (timer.state !== 'over') this.counts.cancelled++
    if (timer.state === 'pending' || timer.state === 'refreshed') this.counts.pending--
    timer.state = 'over'
    timer.isCleared = true
  }

  #run(timer: Timer): void {
    this.counts.fired++
    this.counts.pending--
    timer.state = timer.kind === 'interval' ? 'running' : 'over'
    try {
      this.#check()
      this.#react(timer)
      this.#check()
    } finally {
      this.#endRun(timer)
    }
  }

  #endRun(timer: Timer): void {
    if (timer.state === 'running') this.counts.pending++
    if (timer.state !== 'over') timer.state = timer.kind === 'interval' ? 'pending' : timer.state
  }

  /** What a callback does. Intervals are often cleared, because time passes in large steps. */
  #react(timer: Timer): void {
    const choice = this.#random.below(12)
    if (timer.kind === 'interval' && choice < 6) this.#clear(timer)
    else if (choice < 4) this.#refresh(timer)
    if (choice % 4 === 0) this.#refresh(timer)
    if (choice % 3 === 0) this.#operate(this.#random.below(32))
    if (choice === 7 && this.#random.below(40) === 0) this.stop()
    if (choice % 5 === 0) throw THROWN
  }
}

const THROWN = new Error('thrown by a callback')

onEachBackend((backend) => {
  const seed = newSeed()

  it(`counts as a model does, after each of ${STEPS} steps of ${PROGRAMS} programs; seed ${seed}`, () => {
    for (let i = 0; i < PROGRAMS; i++) {
      const program = new Program(backend, randomFrom(seed + i))
      for (let step = 0; step < STEPS && !program.isStopped; step++) {
        program.step()
        expect({ program: i, step, ...countsOf(program.wheel) }).toEqual({
          program: i,
          step,
          ...program.counts,
        })
      }
      program.stop()
      expect(countsOf(program.wheel)).toEqual(program.counts)
      program.wheel.stop()
      expect(countsOf(program.wheel)).toEqual(program.counts)
    }
  })

  it('counts masses of refreshes and reschedules in one turn', () => {
    const wheel = manualWheel(backend)
    const handles = Array.from({ length: 1000 }, () => wheel.setTimeout(() => {}, 50))
    const ids = Array.from({ length: 1000 }, () => wheel.schedule(() => {}, 50))
    for (let round = 1; round <= 3; round++) {
      for (const handle of handles) handle.refresh()
      for (const id of ids) wheel.reschedule(id, 40)
      expect(wheel.stats()).toMatchObject({
        scheduled: 2000,
        refreshed: 2000 * round,
        fired: 0,
        cancelled: 0,
      })
    }
    for (const id of ids) wheel.cancel(id)
    for (const id of ids) wheel.cancel(id)
    for (const id of ids) wheel.reschedule(id, 40)
    wheel.advance(50)
    const counts = { pending: 0, scheduled: 2000, refreshed: 6000, fired: 1000, cancelled: 1000 }
    expect(wheel.stats()).toMatchObject(counts)
    // What is trimmed is not forgotten.
    for (let i = 0; i < 20_000; i++) wheel.cancel(wheel.schedule(() => {}, 50))
    const many = Array.from({ length: 20_000 }, () => wheel.schedule(() => {}, 50))
    for (const id of many) wheel.cancel(id)
    wheel.trim()
    expect(wheel.stats()).toMatchObject({ ...counts, scheduled: 42_000, cancelled: 41_000 })
  })

  it('tells the memory that timers hold', () => {
    const wheel = manualWheel(backend)
    const empty = wheel.stats().bytes
    expect(empty).toBeGreaterThan(2 ** 17)
    expect(empty).toBeLessThan(2 ** 20)
    for (let i = 0; i < 100_000; i++) wheel.schedule(() => {}, 50)
    expect(wheel.stats().bytes).toBeGreaterThan(empty + 100_000 * 16)
    wheel.advance(50)
    wheel.trim()
    expect(wheel.stats().bytes).toBe(empty)
    wheel.stop()
    expect(wheel.stats().bytes).toBe(0)
  })

  it('returns an object of its own for each call', () => {
    const wheel = manualWheel(backend)
    const first = wheel.stats()
    first.pending = 7
    wheel.schedule(() => {}, 5)
    expect(first.scheduled).toBe(0)
    expect(wheel.stats()).toMatchObject({ pending: 1, scheduled: 1 })
  })

  it('counts the members of large groups', () => {
    const wheel = manualWheel(backend)
    const group = wheel.group(() => {}, 100)
    const members = Array.from({ length: 5000 }, (_, i) => group.add(i))
    wheel.advance(50)
    for (const member of members.slice(0, 4000)) group.touch(member)
    for (const member of members.slice(0, 1500)) group.delete(member)
    wheel.advance(50)
    const counts = { pending: 2500, scheduled: 5000, fired: 1000, cancelled: 1500, refreshed: 4000 }
    expect(countsOf(wheel)).toEqual(counts)
    group.clear()
    expect(countsOf(wheel)).toEqual({ ...counts, pending: 0, cancelled: 4000 })
    wheel.advance(1000)
    wheel.trim()
    for (const member of members) group.touch(member)
    expect(countsOf(wheel)).toEqual({ ...counts, pending: 0, cancelled: 4000 })
  })
})
