/** White-box: a scheduler in states that public calls would take too long to reach. */

import { describe, expect, it } from '@jest/globals'
import { EXPIRED, UNFINISHED } from '../../lib/memory/layout.js'
import type { WheelTimeout } from '../../lib/node/handles/timeout-types.js'
import { scaled } from '../scale.js'
import { inside, TestWheel } from './test-wheel.js'

/** A delay after which the refresh log rounds an entry. */
const LONG_DELAY = 2 ** 17

describe('when order numbers start again', () => {
  it('goes on counting from there', () => {
    const wheel = new TestWheel()
    inside(wheel).order = LAST - 20
    const before = wheel.scheduler.stats.refreshed
    const timer = wheel.set(() => {}, 5000)
    for (let n = 0; n < 100; n++) {
      timer.refresh()
      wheel.set(() => {}, 1)
      if (n % 10 === 0) wheel.endTurn()
    }
    wheel.goTo(1000)
    expect(inside(wheel).order).toBeLessThan(LAST)
    const { pending, scheduled, fired, cancelled, refreshed } = wheel.scheduler.stats
    expect({ pending, scheduled, fired, cancelled, refreshed: refreshed - before }).toEqual({
      pending: 1,
      scheduled: 101,
      fired: 100,
      cancelled: 0,
      refreshed: 100,
    })
  })

  const LAST = 2 ** 30 - 128
  const starts = Array.from({ length: 40 }, (_, i) => LAST - 960 + 7 * i)

  it('counts a delay from its own refresh, not from a later one of another timer', () => {
    const wheel = new TestWheel()
    inside(wheel).order = LAST - 20
    const ranAt: number[] = []
    const [first, second] = [100, 1000].map((ms) => wheel.set(() => ranAt.push(wheel.now), ms))
    wheel.endTurn()
    // These are in the log with the old numbers.
    for (const time of [5, 6, 7]) {
      wheel.goTo(time)
      second!.refresh()
      wheel.endTurn()
    }
    for (let n = 0; n < 40; n++) wheel.set(() => {}, 5000)
    wheel.endTurn()
    expect(inside(wheel).order).toBeLessThan(100)
    wheel.goTo(20)
    first!.refresh()
    wheel.endTurn()
    wheel.goTo(60)
    second!.refresh()
    wheel.endTurn()
    wheel.goTo(200)
    expect(ranAt).toEqual([120])
  })

  it.each(starts)('runs a timer that was refreshed in the same pass on time, from number %d on', (start) => {
    const wheel = new TestWheel()
    inside(wheel).order = start
    const ran: string[] = []
    const spin = wheel.set(() => ran.push('spin'), 10_000)
    wheel.endTurn()
    wheel.goTo(10)
    spin.refresh()
    wheel.set(() => {
      for (let n = 0; n < 1020; n++) spin.refresh()
      refreshed.refresh()
      wheel.set(() => ran.push('after'), 490)
    }, 490)
    const refreshed = wheel.set(() => ran.push('refreshed'), 490)
    wheel.set(() => ran.push('not refreshed'), 490)
    wheel.endTurn()
    wheel.goTo(500)
    expect(ran).toEqual(['not refreshed'])
    expect(inside(wheel).order).toBeLessThan(LAST)
    wheel.goTo(989)
    expect(ran).toEqual(['not refreshed'])
    wheel.goTo(990)
    expect(ran).toEqual(['not refreshed', 'refreshed', 'after'])
    wheel.goTo(10_499)
    expect(ran.length).toBe(3)
    wheel.goTo(10_500)
    expect(ran.length).toBe(4)
  })

  it('keeps the order of the rest of a late pass, if they start again between its batches', () => {
    const wheel = new TestWheel()
    const ran: string[] = []
    const refreshedInPass = wheel.set(() => ran.push('refreshed in the pass'), 200)
    const refreshed = wheel.set(() => ran.push('refreshed'), 200)
    wheel.set(() => ran.push('not refreshed'), 240)
    // More timers than one batch holds.
    wheel.set(() => refreshedInPass.refresh().refresh(), 100)
    for (let n = 0; n < 5000; n++) wheel.set(() => {}, 100)
    wheel.endTurn()
    wheel.now = 50
    refreshed.refresh()
    wheel.endTurn()
    inside(wheel).order = LAST
    wheel.turn(300)
    expect(inside(wheel).order).toBeLessThan(LAST)
    expect(ran).toEqual(['not refreshed', 'refreshed'])
  })
})

describe('when ticks wrap', () => {
  const WRAP = 2 ** 32

  it.each([-4, -3, -2, -1, 0, 1].flatMap((due) => [-4, -3, -2, -1, 0, 1, 5].map((late) => [due, late])))(
    'loses no timer that was refreshed to the deadline %d and expires in a pass at %d',
    (due, late) => {
      const wheel = new TestWheel(WRAP - 300)
      const ran: number[] = []
      const timer = wheel.set(() => ran.push(wheel.now), 100)
      wheel.endTurn()
      wheel.now = WRAP + due - 100
      timer.refresh()
      wheel.endTurn()
      wheel.turn(WRAP + late)
      wheel.goTo(WRAP + 10)
      expect(ran.length).toBe(1)
      expect(ran[0]).toBeGreaterThanOrEqual(WRAP + due)
      expect(wheel.scheduler.pending).toBe(0)
    },
  )
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

describe('in a late pass', () => {
  it.each([
    ['filed', (wheel: TestWheel) => wheel.endTurn()],
    ['submitted', (wheel: TestWheel) => wheel.scheduler.settledNow()],
  ])('keeps the time of a refresh of a timer that is %s', (_state, next) => {
    const wheel = new TestWheel()
    const ran: string[] = []
    const refreshed = wheel.set(() => ran.push('refreshed'), LONG_DELAY)
    const busy = wheel.set(() => {}, LONG_DELAY)
    const at = (now: number, operate: () => void): void => {
      next(wheel)
      wheel.now = now
      wheel.scheduler.settledNow()
      operate()
    }
    at(1000, () => refreshed.refresh())
    at(2000, () => busy.refresh())
    at(8000, () => busy.refresh())
    at(8001, () => wheel.set(() => ran.push('after'), LONG_DELAY - 7000))
    at(LONG_DELAY - 50, () => busy.refresh())
    wheel.turn(LONG_DELAY + 9000)
    expect(ran).toEqual(['refreshed', 'after'])
  })

  /** Sets more timers than the expirations hold, the refreshed ones first. */
  function setLargeTick(delay: number, refreshedTo: number): { wheel: TestWheel; ran: number[] } {
    const wheel = new TestWheel()
    const ran: number[] = []
    const set = (n: number, due: number): WheelTimeout => wheel.set(() => ran.push(n), due - wheel.now)
    const refreshed = set(-1, delay)
    wheel.endTurn()
    wheel.now = refreshedTo - delay
    const setMany = (from: number, to: number): void => {
      for (let n = from; n < to; n++) set(n, 100)
      wheel.endTurn()
    }
    setMany(0, 1000)
    refreshed.refresh()
    wheel.endTurn()
    setMany(1000, 5000)
    set(5000, 103)
    wheel.endTurn()
    wheel.turn(110)
    return { wheel, ran }
  }
  const numbers = (from: number, to: number): number[] =>
    Array.from({ length: to - from }, (_, i) => from + i)

  it('runs a timer refreshed into a tick too large for one batch in its order there', () => {
    const { ran } = setLargeTick(90, 100)
    expect(ran).toEqual([...numbers(0, 1000), -1, ...numbers(1000, 5001)])
  })

  it('runs a timer refreshed to a later tick after a tick too large for one batch', () => {
    const { ran } = setLargeTick(90, 105)
    expect(ran).toEqual([...numbers(0, 5001), -1])
  })

  it('runs the last refreshed timer of a tick too large for one batch after all others', () => {
    const wheel = new TestWheel()
    const ran: number[] = []
    const refreshed = wheel.set(() => ran.push(-1), 90)
    wheel.endTurn()
    wheel.now = 10
    for (let n = 0; n < 5000; n++) wheel.set(() => ran.push(n), 90)
    refreshed.refresh()
    wheel.endTurn()
    wheel.turn(110)
    expect(ran).toEqual([...numbers(0, 5000), -1])
  })
})

it.each([2 ** 31 - 5_000, 2 ** 31 + 5_000])(
  'keeps timers that are set before the wheel advances, in a process that was suspended for %d ms',
  (stopped) => {
    const wheel = new TestWheel()
    const ran: [string, number][] = []
    const set = (name: string, ms: number) => wheel.set(() => ran.push([name, wheel.now]), ms)
    set('due while it was stopped', 1_000)
    wheel.endTurn()
    wheel.now = stopped
    set('set at once', 10)
    set('set for later', 20_000)
    wheel.endTurn()
    wheel.turn(stopped)
    expect(ran).toEqual([['due while it was stopped', stopped]])
    wheel.goTo(stopped + 30_000)
    expect(ran.slice(1)).toEqual([
      ['set at once', stopped + 10],
      ['set for later', stopped + 20_000],
    ])
    expect(wheel.scheduler.pending).toBe(0)
  },
)

describe('a timer that has neither an id nor a handle', () => {
  it('runs with its argument, in order, and releases the argument', () => {
    const wheel = new TestWheel()
    const { scheduler } = wheel
    const ran: unknown[] = []
    const note = (value: unknown): unknown => ran.push(value)
    scheduler.scheduleUnnamed(note, 'value', 5)
    scheduler.scheduleUnnamed(note, undefined, 5)
    scheduler.scheduleId(note, 'with an id', 5)
    expect(scheduler.pending).toBe(3)
    wheel.endTurn()
    wheel.goTo(10)
    expect(ran).toEqual(['value', undefined, 'with an id'])
    expect(scheduler.pending).toBe(0)
    // Other timers use the records now.
    for (let i = 0; i < 3; i++) scheduler.scheduleUnnamed(note, undefined, 5)
    wheel.endTurn()
    wheel.goTo(20)
    expect(ran.slice(3)).toEqual([undefined, undefined, undefined])
  })

  it('keeps the stale ids of its record stale, and gives the record a new id afterwards', () => {
    const wheel = new TestWheel()
    const { scheduler } = wheel
    const ids: number[] = []
    for (let i = 0; i < 5; i++) {
      ids.push(scheduler.scheduleId(() => {}, undefined, 5))
      wheel.endTurn()
      wheel.goTo(wheel.now + 10)
      scheduler.scheduleUnnamed(() => {}, undefined, 5)
      expect(ids.map((id) => scheduler.unitOfId(id))).toEqual(ids.map(() => 0))
      wheel.endTurn()
      wheel.goTo(wheel.now + 10)
      expect(ids.map((id) => scheduler.unitOfId(id))).toEqual(ids.map(() => 0))
    }
    expect(new Set(ids).size).toBe(5)
    const id = scheduler.scheduleId(() => {}, undefined, 5)
    expect(scheduler.unitOfId(id)).not.toBe(0)
  })
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

describe('the log of refreshes', () => {
  it('keeps the refresh of a timer that is overdue, because the event loop was blocked', () => {
    const wheel = new TestWheel()
    const ranAt: number[] = []
    const overdue = wheel.set(() => ranAt.push(wheel.now), 100)
    const others = [1, 2].map(() => wheel.set(() => {}, 100))
    wheel.endTurn()
    wheel.goTo(5)
    overdue.refresh()
    wheel.goTo(50)
    others[0]!.refresh()
    wheel.goTo(51)
    wheel.now = 250
    others[1]!.refresh()
    wheel.endTurn()
    wheel.turn(250)
    expect(ranAt).toEqual([250])
  })

  it('keeps the refresh of a timer that was set in the same turn, however long the turn takes', () => {
    const wheel = new TestWheel()
    const ranAt: number[] = []
    for (const time of [5, 50, 2050]) {
      const timeout = wheel.set(() => ranAt.push(time), 1000)
      wheel.now = time
      timeout.refresh()
    }
    wheel.endTurn()
    wheel.turn(2051)
    expect(ranAt).toEqual([5, 50])
  })

  it('has the refresh of a timer that is due in the same tick, after thousands of others', () => {
    const wheel = new TestWheel()
    const spin = wheel.set(() => {}, 10_000)
    const waited: number[] = []
    let refreshedAt = 0
    wheel.set(() => {
      // They use up the operations that read the clock each.
      for (let n = 0; n < 40; n++) spin.refresh()
      wheel.now += 3
      refreshedAt = wheel.now
      last.refresh()
    }, 10)
    for (let n = 0; n < 5000; n++) wheel.set(() => {}, 10)
    const last = wheel.set(() => waited.push(wheel.now - refreshedAt), 10)
    wheel.endTurn()
    wheel.goTo(30)
    expect(waited).toEqual([10])
  })
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
      if (!scheduler.rescheduleDeferred(far, 10_000))
        scheduler.schedule(scheduler.unitOfId(far), undefined, 10_000)
    }
    expect(scheduler.rescheduleDeferred(last, 50)).toBe(true)
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
