/** White-box: a scheduler in states that public calls would take too long to reach. */
import { expect, it } from '@jest/globals'
import { EXPIRED, GENERATION, UNFINISHED } from '../../lib/memory/layout.js'
import { GENERATIONS } from '../../lib/node/scheduler/id-space.js'
import { rescheduleDeferred, unitOfId } from '../../lib/node/scheduler/id-timers.js'
import { statsOf } from '../../lib/node/scheduler/looks.js'
import { expectSame, forEachSeed, randomFrom } from '../contract/random.js'
import { scaled } from '../scale.js'
import { FineWheel, inside, TestWheel } from './test-wheel.js'

/** The last order number before they start again. */
const LAST = 2 ** 30 - 128
const WRAP = 2 ** 32
/** The longest one is a delay after which the refresh log can round an entry. */
const DELAYS = [1, 2, 3, 50, 90, 100, 100, 100, 103, 490, 1000, 2 ** 17]
const STEPS = [0, 1, 1, 1, 2, 5, 10, 50, 110, 300]
/** Those of a clock with fractions of a tick: delays that fall into the same ticks, further ones for timers without a handle, and steps. */
const FINE_DELAYS = [1, 2, 3, 3, 5, 8, 13, 40, 250, 300, 600]
const FRACTIONS = [0, 0.25, 0.9, 3.0625, 4.5]
const FINE_STEPS = [0, 0, 1, 2, 3, 3, 7, 11, 16, 23].map((sixteenths) => sixteenths / 16)

interface Timer {
  delay: number
  /** NaN: the timer has run or was cleared. */
  due: number
  order: number
  /** Sets the timer again, with its delay or another. */
  touch(delay: number): void
  clear(): void
}

/**
 * Runs random timers in turns that can be late, where order numbers or ticks start again. They must run by deadline and call.
 *
 * @param fine a wheel whose clock has fractions of a tick. Its timers have an order only among those with the same delay
 */
function runProgram(seed: number, fine?: FineWheel): void {
  const random = randomFrom(seed)
  const wheel = fine ?? new TestWheel([0, 0, WRAP - 300, 2 ** 31 - 300][random.below(4)])
  const { scheduler } = wheel
  if (random.below(3) > 0) inside(wheel).order = LAST - random.below(1_100)
  const timers: Timer[] = []
  const ids = new Set<number>()
  const counts = { pending: 0, scheduled: 0, fired: 0, cancelled: 0 }
  const [delays, steps] = fine ? [FINE_DELAYS, FINE_STEPS] : [DELAYS, STEPS]
  let orders = 0
  let jump = 0
  let last = { due: 0, order: 0 }
  /** The order of the last timer that ran, for each delay. */
  const lastOrders = new Map<number, number>()

  const note = (timer: Timer, delay: number): void => {
    const due = wheel.now + delay
    timer.delay = delay
    // The last three ticks before a wrap encode states.
    timer.due = due % WRAP >= WRAP - 3 ? Math.ceil(due / WRAP) * WRAP : due
    timer.order = orders++
  }
  const end = (timer: Timer, count: 'fired' | 'cancelled'): void => {
    timer.due = Number.NaN
    counts[count]++
    counts.pending--
  }
  function expectInOrder({ delay, due, order }: Timer): void {
    expectSame(due <= wheel.now, true)
    const isLater = due > last.due || (due === last.due && order > last.order)
    const isInOrder = fine ? order > (lastOrders.get(delay) ?? -1) : isLater
    // After so long a pause, the log rounds the times of refreshes.
    expectSame(isInOrder || jump > 2 ** 30, true)
    last = { due, order }
    lastOrders.set(delay, order)
  }
  function set(delay: number): void {
    const timer: Timer = { delay, due: 0, order: 0, touch: () => {}, clear: () => {} }
    const kind = random.below(5)
    if (fine && kind > 1 && random.below(2) === 0) delay = random.pick(FRACTIONS)
    const run = (argument?: unknown): void => {
      expectSame(argument, kind < 2 ? undefined : timer)
      expectInOrder(timer)
      end(timer, 'fired')
      react()
    }
    if (kind < 2) {
      const handle = wheel.set(run, delay)
      timer.touch = () => {
        handle.refresh()
        if (Number.isNaN(timer.due)) {
          counts.scheduled++
          counts.pending++
        }
        note(timer, delay)
        // A read of the deadline looks the refresh up.
        if (fine && random.below(4) === 0) expect(handle.deadline).toBeGreaterThan(0)
      }
      timer.clear = () => {
        handle.close()
        if (!Number.isNaN(timer.due)) end(timer, 'cancelled')
        timer.touch = () => {}
      }
    } else {
      const id = scheduler.scheduleId(run, timer, delay)
      expectSame(ids.has(id), false)
      ids.add(id)
      timer.touch = (another) => {
        if (Number.isNaN(timer.due)) return expectSame(unitOfId(scheduler, id), 0)
        if (!rescheduleDeferred(scheduler, id, another))
          scheduler.schedule(unitOfId(scheduler, id), undefined, another)
        note(timer, another)
      }
    }
    timers.push(timer)
    note(timer, delay)
    counts.scheduled++
    counts.pending++
  }
  function repeat(delay: number): void {
    let due = wheel.now + delay
    const interval = wheel.repeat(() => {
      expectSame(due <= wheel.now, true)
      due = wheel.now + delay
      counts.fired++
      react()
      if (random.below(4) > 0) return
      interval.close()
      counts.cancelled++
      counts.pending--
    }, delay)
    counts.scheduled++
    counts.pending++
  }
  function operate(): void {
    const delay = random.pick(delays)
    if (fine && random.below(10) === 0) return repeat(delay)
    const choice = random.below(20)
    // The newest timers are chosen more often: they have just been set.
    const timer = timers[timers.length - 1 - random.below(choice % 2 === 0 ? 3 : timers.length)]
    if (choice < 10) set(delay)
    else if (choice < 19) timer?.touch(delay)
    else timer?.clear()
  }
  function react(): void {
    const choice = random.below(100)
    if (fine && choice % 4 === 0) wheel.now += random.pick(steps) / 4
    if (choice < 20) operate()
    else if (choice < 21) for (let n = 0; n < 50; n++) operate()
  }

  // More timers of one tick than a batch holds.
  const many = random.below(4) === 0 ? random.below(100) : -1
  for (let turn = 0; turn < 150; turn++) {
    for (let left = random.below(random.below(10) === 0 ? 200 : 12); left > 0; left--) {
      operate()
      if (random.below(4) > 0) continue
      // Time passes within a turn, or between turns without timers.
      if (random.below(2) === 0) scheduler.settledNow()
      else wheel.endTurn()
      wheel.now += steps[random.below(7)]!
      scheduler.settledNow()
    }
    if (turn === many) for (let n = 0; n < 5_000; n++) set(100)
    wheel.endTurn()
    jump = fine ? 0 : ([2 ** 17, 2 ** 20, 2 ** 31 - 5_000, 2 ** 31 + 5_000][random.below(300)] ?? 0)
    last = { due: 0, order: -1 }
    wheel.turn(wheel.now + random.pick(steps) + jump)
    const isLate = timers.some(({ due }) => due <= wheel.now)
    expectSame(isLate && !fine, false)
    const { pending, scheduled, fired, cancelled } = statsOf(scheduler)
    expect({ pending, scheduled, fired, cancelled }).toEqual(counts)
  }
  if (fine) while (counts.pending > 0) wheel.turn(wheel.now + 1 / 4)
}

it('runs random timers by deadline and call, where order numbers and ticks start again and passes are late', () => {
  forEachSeed(scaled(20, 400), runProgram)
})

it('runs random timers on a clock with fractions of a tick: none early, those with equal delays in order', () => {
  let ahead = 0
  const programs = scaled(10, 60)
  forEachSeed(programs, (seed) => {
    const wheel = new FineWheel(2 ** 31 - 400 + (seed % 16) / 16)
    runProgram(seed, wheel)
    ahead += wheel.ahead
  })
  expect(ahead).toBeGreaterThan(16 * programs)
})

it('keeps the order of a late tick, of which a callback cancels timers and others were refreshed', () => {
  const wheel = new TestWheel(2 ** 31 - 101)
  const ran: number[] = []
  const end = () => ran.length === 1 && third(1).map((i) => timers[i]!.close())
  const timers = Array.from({ length: 5_000 }, (_, i) => wheel.set(() => ran.push(i) && end(), 100))
  const third = (rest: number) => [...timers.keys()].filter((i) => i % 3 === rest)
  wheel.endTurn()
  wheel.now += 5
  for (const i of third(2)) timers[i]!.refresh()
  wheel.endTurn()
  wheel.turn(2 ** 31 + 62)
  expect(ran).toEqual([...third(0), ...third(2)])
})

it('loses no timer that was refreshed to a deadline at which ticks wrap', () => {
  for (const due of [-4, -3, -2, -1, 0, 1]) {
    for (const late of [-4, -3, -2, -1, 0, 1, 5]) {
      const wheel = new TestWheel(WRAP - 300)
      const ran: number[] = []
      const timer = wheel.set(() => ran.push(wheel.now - WRAP), 100)
      wheel.endTurn()
      wheel.now = WRAP + due - 100
      timer.refresh()
      wheel.endTurn()
      wheel.turn(WRAP + late)
      wheel.goTo(WRAP + 10)
      expect([due, late, ran.length, ran[0]! >= due]).toEqual([due, late, 1, true])
    }
  }
})

it('drops old epochs although each turn leaves submissions', () => {
  const wheel = new TestWheel()
  const idle = wheel.set(() => {}, 1000)
  for (let turn = 0; turn < scaled(10_000, 100_000); turn++) {
    wheel.now += 4
    idle.refresh()
    wheel.set(() => {}, 1)
    wheel.now += 2
    while (wheel.scheduler.dispatch());
  }
  // As many epochs as there are turns in the longest delay.
  expect(inside(wheel).log.length).toBeGreaterThan(100)
  expect(inside(wheel).log.length).toBeLessThan(1000 / 6 + 100)
})

it('reads the clock for each of the first 32 operations of a turn, then once for 64', () => {
  const wheel = new TestWheel()
  wheel.set(() => {}, 1000)
  wheel.endTurn()
  wheel.readings = 0
  const readings = [32, 640].map((operations) => {
    for (let n = 0; n < operations; n++) wheel.set(() => {}, 1000)
    return wheel.readings
  })
  expect(readings).toEqual([32, 42])
})

it('postpones a due timer that the last callback of a batch reschedules, before the next batch is expired', () => {
  const wheel = new TestWheel()
  const { scheduler } = wheel
  const position = scheduler as unknown as { next: number }
  const ran: string[] = []
  let calls = 0
  const far = scheduler.scheduleId(() => {}, undefined, 10_000)
  const callback = (): void => {
    const { words } = wheel.core
    const endsBatch = position.next === words[EXPIRED] && words[UNFINISHED] !== 0
    if (!endsBatch || calls > 0) return
    // The first operations of a turn are not deferred.
    for (; calls < 40; calls++) {
      if (!rescheduleDeferred(scheduler, far, 10_000))
        scheduler.schedule(unitOfId(scheduler, far), undefined, 10_000)
    }
    expect(rescheduleDeferred(scheduler, last, 50)).toBe(true)
  }
  for (let n = 0; n < 9000; n++) scheduler.scheduleId(callback, undefined, 10)
  const last = scheduler.scheduleId(() => ran.push('last'), undefined, 10)
  wheel.endTurn()
  wheel.goTo(59)
  expect(calls).toBe(40)
  expect(ran).toEqual([])
  wheel.goTo(60)
  expect(ran).toEqual(['last'])
})

it('uses a record up to its last id, and never again', () => {
  const { scheduler, core } = new TestWheel()
  const schedule = (): number => scheduler.scheduleId(() => {}, undefined, 1_000)
  const end = (id: number): number => {
    const unit = unitOfId(scheduler, id)
    scheduler.cancelId(unit)
    return unit
  }
  const unit = end(schedule())
  core.words[unit * 4 + GENERATION] = GENERATIONS - 2
  const last = schedule()
  expect(Number.isSafeInteger(last)).toBe(true)
  expect([end(last), unitOfId(scheduler, last)]).toEqual([unit, 0])
  const ids = Array.from({ length: 10 }, schedule)
  expect(ids.map((id) => unitOfId(scheduler, id))).not.toContain(unit)
  expect(new Set([last, ...ids]).size).toBe(11)
})
