/**
 * White-box: the scheduler on the addon's core expires a tick as soon as all of its timers are due. The tests provide the
 * turns and a clock with fractions of a tick.
 */
import { expect, it } from '@jest/globals'
import type { Core } from '../../lib/memory/core.js'
import { ARMED, WAKE } from '../../lib/memory/layout.js'
import { openNativeCore } from '../../lib/node/drivers/native.js'
import type { WheelTimeout } from '../../lib/node/handles/state.js'
import { unitOfId } from '../../lib/node/scheduler/id-timers.js'
import { forEachSeed, type Random, randomFrom } from '../contract/random.js'
import { scaled } from '../scale.js'
import { TestWheel } from './test-wheel.js'

type NativeCore = Core & { wheel: { isTickDue(): boolean; expire(advanced: number, now: number): number } }

class FineWheel extends TestWheel {
  /** How often the wheel ran timers before the end of their tick. */
  ahead = 0
  declare readonly core: NativeCore

  constructor(start: number) {
    super(start, openNativeCore())
  }

  protected override expire(advanced: number): number {
    return this.core.wheel.expire(advanced, this.read())
  }

  schedule(callback: () => void, ms: number): number {
    return this.scheduler.scheduleId(callback, undefined, ms)
  }

  /** As the driver does after the event loop wakes: it dispatches if the wheel is due. */
  override turn(now: number): void {
    this.now = now
    const { words } = this.core
    this.scheduler.settledNow()
    const isAhead = ((words[WAKE]! - Math.floor(now)) | 0) > 0
    const isDue = words[ARMED] !== 0 && (!isAhead || this.core.wheel.isTickDue())
    if (isDue && isAhead) this.ahead++
    if (isDue) super.turn(now)
    else this.endTurn()
  }
}

it('runs the timers of a tick as soon as all of them are due', () => {
  const wheel = new FineWheel(10.25)
  const ran: string[] = []
  wheel.set(() => ran.push('set'), 5)
  wheel.now = 10.5
  wheel.schedule(() => ran.push('scheduled'), 5)
  wheel.now = 10.75
  wheel.endTurn()
  wheel.turn(15.25)
  expect(ran).toEqual([])
  wheel.turn(15.5)
  expect(ran).toEqual(['set', 'scheduled'])
})

it('runs a timer that a callback sets for the rest of the tick in a later pass, after more than one batch', () => {
  const wheel = new FineWheel(10.25)
  let left = 5_000
  let leftAtSoon = Number.NaN
  const setSoon = (): void => {
    wheel.schedule(() => {
      leftAtSoon = left
      expect(wheel.now).toBeGreaterThanOrEqual(15.5)
    }, 0.25)
  }
  for (let i = 1; i <= 5_000; i++) {
    wheel.set(() => left-- === 5_000 && setSoon(), 5)
    // Before the submissions are full. While an epoch is open, its end is unknown.
    if (i % 1_000 === 0) wheel.endTurn()
  }
  wheel.turn(15.25)
  expect(left).toBe(0)
  expect(leftAtSoon).toBe(Number.NaN)
  wheel.turn(17)
  expect(leftAtSoon).toBe(0)
})

/** Delays that fall into the same ticks. The first three are only for timers with ids. */
const DELAYS = [0, 0.25, 0.9, 1, 2, 3, 3, 5, 8, 13, 40, 250, 300, 600]

/** A timer of the program: the earliest time at which it may run, and its place among the operations. */
interface Expected {
  readonly delay: number
  readonly due: number
  readonly operation: number
}

/** Sets, refreshes, reschedules and clears random timers, also in callbacks, while time passes in sixteenths of a tick. */
class RandomProgram {
  readonly wheel: FineWheel
  readonly faults: string[] = []
  readonly #below: Random['below']
  readonly #handles = new Map<WheelTimeout, Expected>()
  readonly #ids = new Map<number, Expected>()
  /** The last operation that ran, for each delay. */
  readonly #last = new Map<number, number>()
  #operation = 0
  /** The handle whose callback is running. */
  #running: WheelTimeout | undefined

  constructor(seed: number) {
    this.#below = randomFrom(seed).below
    this.wheel = new FineWheel(2 ** 31 - 400 + this.#below(16) / 16)
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step++) this.#step()
    while (this.#handles.size + this.#ids.size > 0 && this.faults.length === 0) {
      this.wheel.turn(this.wheel.now + 1 / 4)
      for (const handle of this.#handles.keys()) if (handle._repeat !== null) this.#clear(handle)
    }
  }

  #step(): void {
    this.#pass(this.#below(3) === 0 ? 24 : 4)
    const kind = this.#below(10)
    if (kind < 4) this.wheel.turn(this.wheel.now)
    else if (kind < 6) this.wheel.endTurn()
    else this.#operate()
  }

  #pass(most: number): void {
    this.wheel.now += this.#below(most) / 16
  }

  #expect(delay: number): Expected {
    return { delay, due: this.wheel.now + delay, operation: this.#operation++ }
  }

  #operate(): void {
    const below = this.#below
    const delay = DELAYS[3 + below(DELAYS.length - 3)]!
    const kind = below(12)
    if (kind < 3) this.#set(delay)
    else if (kind < 6) this.#schedule([delay, delay, below(80) / 16, DELAYS[below(3)]!][below(4)]!)
    else if (kind < 9) this.#refresh(this.#any(this.#handles))
    else if (kind < 11) {
      const id = this.#any(this.#ids)
      if (id === undefined) return
      const { scheduler } = this.wheel
      scheduler.schedule(unitOfId(scheduler, id), undefined, delay)
      this.#ids.set(id, this.#expect(delay))
    } else this.#clear(this.#any(this.#handles))
  }

  #any<T>(timers: Map<T, Expected>): T | undefined {
    // The newest timers are chosen more often: they have just been set.
    const among = [...timers.keys()].slice(this.#below(2) === 0 ? -3 : 0)
    return among[this.#below(among.length)]
  }

  #set(delay: number): void {
    const set = this.#below(8) === 0 ? 'repeat' : 'set'
    const handle: WheelTimeout = this.wheel[set](() => {
      this.#check(this.#handles, handle)
      // It is set again after this callback.
      if (handle._repeat !== null) this.#handles.set(handle, { ...this.#expect(delay), operation: -1 })
      this.#running = handle
      this.#inCallback()
      this.#running = undefined
    }, delay)
    this.#handles.set(handle, this.#expect(delay))
  }

  #schedule(delay: number): void {
    const id = this.wheel.schedule(() => {
      this.#check(this.#ids, id)
      this.#inCallback()
    }, delay)
    this.#ids.set(id, this.#expect(delay))
  }

  #refresh(handle: WheelTimeout | undefined): void {
    if (handle === undefined) return
    handle.refresh()
    // The delay of an interval counts from the start of the run, as in Node.
    if (handle !== this.#running) this.#handles.set(handle, this.#expect(this.#handles.get(handle)!.delay))
    // A write of the same delay looks its refresh up.
    const { _idleTimeout: ms } = handle
    if (this.#below(4) === 0) handle._idleTimeout = ms
  }

  #clear(handle: WheelTimeout | undefined): void {
    handle?.close()
    this.#handles.delete(handle!)
  }

  #inCallback(): void {
    if (this.#below(4) === 0) this.#pass(4)
    if (this.#below(4) === 0) this.#operate()
  }

  #check<T>(timers: Map<T, Expected>, timer: T): void {
    const { delay, due, operation } = timers.get(timer)!
    timers.delete(timer)
    const { now } = this.wheel
    if (now < due) this.faults.push(`${due - now} early: ${delay}, due ${due}, at ${now}`)
    if (operation === -1) return
    const last = this.#last.get(delay) ?? -1
    if (operation < last) this.faults.push(`out of order: ${delay}, operation ${operation} after ${last}`)
    this.#last.set(delay, operation)
  }
}

it('runs no timer of random programs early, equal delays in order, and every timer in the end', () => {
  const programs = scaled(10, 60)
  let ahead = 0
  forEachSeed(programs, (seed) => {
    const program = new RandomProgram(seed)
    program.run(2_000)
    expect(program.faults).toEqual([])
    ahead += program.wheel.ahead
  })
  expect(ahead).toBeGreaterThan(16 * programs)
})
