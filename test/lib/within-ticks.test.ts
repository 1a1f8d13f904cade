/**
 * White-box: the scheduler on the addon's core expires a tick as soon as all of its timers are due. The tests provide the
 * turns and a clock with fractions of a tick.
 */

import { describe, expect, it } from '@jest/globals'
import type { Core } from '../../lib/memory/core.js'
import { ARMED, WAKE } from '../../lib/memory/layout.js'
import { openNativeCore } from '../../lib/node/drivers/native.js'
import type { WheelTimeout } from '../../lib/node/handles/timeout-types.js'
import { newSeed, type Random, randomFrom } from '../contract/random.js'
import { scaled } from '../scale.js'
import { TestWheel } from './test-wheel.js'

type NativeCore = Core & { wheel: { isTickDue(): boolean } }

class FineWheel extends TestWheel {
  /** How often the wheel ran timers before the end of their tick. */
  ahead = 0
  declare readonly core: NativeCore

  constructor(start: number) {
    super(start, openNativeCore())
  }

  protected override dueTick(): number {
    return Math.floor(this.now) + (this.core.wheel.isTickDue() ? 1 : 0)
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

describe('within a tick', () => {
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

  it('keeps the period of an interval', () => {
    const wheel = new FineWheel(10.25)
    const times: number[] = []
    wheel.repeat(() => times.push(wheel.now), 5)
    wheel.endTurn()
    while (wheel.now < 40) wheel.turn(wheel.now + 1 / 16)
    expect(times).toEqual([15.25, 20.25, 25.25, 30.25, 35.25])
  })

  it('holds back a timer that is refreshed in the tick in which it was set, and all later timers', () => {
    const wheel = new FineWheel(10.25)
    const ran: string[] = []
    const timeout = wheel.set(() => ran.push('refreshed'), 5)
    wheel.endTurn()
    wheel.now = 10.5
    timeout.refresh()
    wheel.endTurn()
    wheel.now = 10.75
    wheel.set(() => ran.push('set after'), 5)
    wheel.endTurn()
    for (const now of [15.25, 15.5, 15.75, 15.875]) wheel.turn(now)
    expect(ran).toEqual([])
    wheel.turn(16)
    expect(ran).toEqual(['refreshed', 'set after'])
  })

  it('holds it back also if its refresh has been looked up already', () => {
    const wheel = new FineWheel(10.25)
    const ran: string[] = []
    const timeout = wheel.set(() => ran.push('refreshed'), 5)
    wheel.endTurn()
    wheel.now = 10.5
    timeout.refresh()
    wheel.endTurn()
    timeout._idleTimeout = 5
    wheel.endTurn()
    wheel.turn(15.25)
    expect(ran).toEqual([])
    wheel.turn(16)
    expect(ran).toEqual(['refreshed'])
  })

  it('continues after a timer that it held back is cleared', () => {
    const wheel = new FineWheel(10.25)
    const ran: string[] = []
    const timeout = wheel.set(() => ran.push('never'), 5)
    wheel.endTurn()
    timeout.refresh()
    wheel.set(() => ran.push('later'), 7)
    wheel.endTurn()
    wheel.turn(15.5)
    timeout.close()
    wheel.endTurn()
    for (let now = 15.75; now < 18; now += 0.25) wheel.turn(now)
    expect(ran).toEqual(['later'])
  })

  it('does not run a new timer for the rest of a tick that expired before its end', () => {
    const wheel = new FineWheel(10.25)
    const ran: string[] = []
    wheel.set(() => {
      ran.push('first')
      wheel.schedule(() => ran.push('at once'), 0)
      wheel.schedule(() => ran.push('soon'), 0.25)
    }, 5)
    wheel.endTurn()
    wheel.turn(15.25)
    expect(ran).toEqual(['first'])
    wheel.turn(15.75)
    expect(ran).toEqual(['first'])
    wheel.turn(17)
    expect(ran).toEqual(['first', 'at once', 'soon'])
  })
})

describe('timers that are set for the rest of a tick that expired before its end', () => {
  it.each([0, 0.25, 0.9])('run in the order of the calls, with a delay of %d', (delay) => {
    const wheel = new FineWheel(10.25)
    const ran: string[] = []
    wheel.set(() => {
      wheel.schedule(() => ran.push('first'), delay)
      // Past the end of the tick.
      wheel.now = 16.125
    }, 5)
    wheel.endTurn()
    wheel.turn(15.5)
    wheel.schedule(() => ran.push('second'), delay)
    wheel.endTurn()
    for (let now = 16.25; now < 20; now += 0.25) wheel.turn(now)
    expect(ran).toEqual(['first', 'second'])
  })
})

describe('in a tick with more timers than one batch holds', () => {
  it('runs a timer that a callback sets for the rest of the tick in a later pass', () => {
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
})

/** Delays that fall into the same ticks. */
const DELAYS = [1, 2, 3, 3, 5, 8, 13, 40, 250, 300, 600]

/** A timer of the program: the earliest time at which it may run, and its place among the operations. */
interface Expected {
  delay: number
  due: number
  operation: number
}

/**
 * Sets, refreshes, reschedules and clears random timers, also in callbacks, while time passes in sixteenths of a tick.
 */
class RandomProgram {
  readonly wheel: FineWheel
  readonly faults: string[] = []
  ran = 0
  private readonly random: Random
  private readonly handles = new Map<WheelTimeout, Expected>()
  private readonly numbers = new Map<number, Expected>()
  /** The last operation that ran, for each delay. */
  private readonly last = new Map<number, number>()
  private operation = 0
  /** The handle whose callback is running. */
  private running: WheelTimeout | undefined

  constructor(seed: number) {
    this.random = randomFrom(seed)
    this.wheel = new FineWheel(2 ** 31 - 400 + this.random.below(16) / 16)
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step++) this.step()
    while (this.handles.size + this.numbers.size > 0 && this.faults.length === 0) {
      this.wheel.turn(this.wheel.now + 1 / 4)
      for (const handle of this.handles.keys()) if (handle._repeat !== null) this.clear(handle)
    }
  }

  private step(): void {
    this.pass()
    const kind = this.random.below(10)
    if (kind < 4) this.wheel.turn(this.wheel.now)
    else if (kind < 6) this.wheel.endTurn()
    else this.operate()
  }

  private pass(): void {
    this.wheel.now += this.random.below(this.random.below(3) === 0 ? 24 : 4) / 16
  }

  private expect(delay: number): Expected {
    return { delay, due: this.wheel.now + delay, operation: this.operation++ }
  }

  private operate(): void {
    const delay = DELAYS[this.random.below(DELAYS.length)]!
    const kind = this.random.below(12)
    if (kind < 3) this.set(delay)
    else if (kind < 6) this.schedule(this.random.below(4) === 0 ? this.random.below(80) / 16 : delay)
    else if (kind < 9) this.refresh()
    else if (kind < 11) this.reschedule(delay)
    else this.clear(this.any([...this.handles.keys()]))
  }

  private any<T>(all: T[]): T | undefined {
    // The newest timers are chosen more often: they have just been set.
    const among = this.random.below(2) === 0 ? all.slice(-3) : all
    return among[this.random.below(among.length)]
  }

  private set(delay: number): void {
    const repeats = this.random.below(8) === 0
    const run = (): void => this.runHandle(handle)
    const handle: WheelTimeout = repeats ? this.wheel.repeat(run, delay) : this.wheel.set(run, delay)
    this.handles.set(handle, this.expect(delay))
  }

  private runHandle(handle: WheelTimeout): void {
    this.check(this.handles.get(handle)!)
    this.handles.delete(handle)
    // It is set again after this callback.
    if (handle._repeat !== null) this.handles.set(handle, { ...this.expect(handle._repeat), operation: -1 })
    this.running = handle
    this.inCallback()
    this.running = undefined
  }

  private schedule(delay: number): void {
    const expected = this.expect(delay)
    const id = this.wheel.schedule(() => {
      this.check(this.numbers.get(id)!)
      this.numbers.delete(id)
      this.inCallback()
    }, delay)
    this.numbers.set(id, expected)
  }

  private refresh(): void {
    const handle = this.any([...this.handles.keys()])
    if (handle === undefined) return
    handle.refresh()
    // The delay counts from the start of that run, as in Node.
    if (handle === this.running) return
    this.handles.set(handle, this.expect(this.handles.get(handle)!.delay))
  }

  private reschedule(delay: number): void {
    const id = this.any([...this.numbers.keys()])
    if (id === undefined) return
    this.wheel.scheduler.schedule(this.wheel.scheduler.unitOfId(id), undefined, delay)
    this.numbers.set(id, this.expect(delay))
  }

  private clear(handle: WheelTimeout | undefined): void {
    if (handle === undefined) return
    handle.close()
    this.handles.delete(handle)
  }

  private inCallback(): void {
    if (this.random.below(4) === 0) this.wheel.now += this.random.below(4) / 16
    if (this.random.below(4) === 0) this.operate()
  }

  private check({ delay, due, operation }: Expected): void {
    this.ran++
    const { now } = this.wheel
    if (now < due) this.faults.push(`${due - now} early: ${delay}, due ${due}, at ${now}`)
    if (operation === -1) return
    const last = this.last.get(delay) ?? -1
    if (operation < last) this.faults.push(`out of order: ${delay}, operation ${operation} after ${last}`)
    this.last.set(delay, operation)
  }
}

describe('random programs on a fine clock', () => {
  const first = newSeed()

  it(`run no timer early, equal delays in order, and every timer in the end, from seed ${first} on`, () => {
    const programs = scaled(15, 60)
    let ahead = 0
    for (let seed = first; seed < first + programs; seed++) {
      const program = new RandomProgram(seed)
      program.run(2_000)
      if (program.faults.length > 0) throw new Error(`TIMEOUT_WHEEL_SEED=${seed}:\n${program.faults[0]}`)
      ahead += program.wheel.ahead
    }
    expect(ahead).toBeGreaterThan(16 * programs)
  })
})
