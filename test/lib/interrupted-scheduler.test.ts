/** White-box: exceptions interrupt operations at each call of a method of the scheduler, as a time limit does. */
import { describe, expect, it } from '@jest/globals'
import { everywhere, interruptMethods } from '../contract/everywhere.js'
import { scaled } from '../scale.js'
import { inside, TestWheel } from './test-wheel.js'

/** States in which operations take rare paths. */
const STATES: [string, () => TestWheel][] = [
  ['a new wheel', () => new TestWheel()],
  // No deadline here is one of the last three ticks before they wrap: such timers run at the wrap.
  ['a wheel whose ticks wrap', () => new TestWheel(2 ** 32 - 9)],
  [
    'a wheel whose order numbers start again',
    () => {
      const wheel = new TestWheel()
      inside(wheel).order = 2 ** 30 - 128 - 8
      return wheel
    },
  ],
  [
    'a wheel that nobody has used for weeks',
    () => {
      const wheel = new TestWheel()
      wheel.set(() => {}, 1)
      wheel.goTo(2)
      wheel.now = 2 ** 31 + 100
      return wheel
    },
  ],
]

// The first 32 operations of a turn read the clock each; then 64 share a reading. If those 64 take long, the next read it.
const BEFORE = [0, 31, 32, 40, 96]

describe.each(STATES)('%s', (name, open) => {
  it('keeps all timers through interrupted changes', () => {
    everywhere((attempt) => {
      const wheel = open()
      const { scheduler } = wheel
      const started = wheel.now
      const ran = new Map<string, number[]>()
      const note = (name: unknown): void => {
        ran.set(name as string, [...(ran.get(name as string) ?? []), wheel.now - started])
      }
      wheel.set(() => note('other'), 10)
      const moved = scheduler.scheduleId(note, 'moved', 10)
      const cancelled = scheduler.scheduleId(note, 'cancelled', 10)
      const refreshed = wheel.set(() => note('refreshed'), 10)
      const closed = wheel.set(() => note('closed'), 10)
      wheel.endTurn()
      wheel.goTo(started + 5)
      interruptMethods(scheduler)
      const isDone = attempt(() => {
        scheduler.schedule(scheduler.unitOfId(moved), undefined, 10)
        scheduler.cancelId(scheduler.unitOfId(cancelled))
        refreshed.refresh()
        closed.close()
        scheduler.scheduleId(note, 'new', 10)
        scheduler.scheduleUnnamed(note, 'unnamed', 10)
        scheduler.scheduleId(note, 'far', 2 ** 40)
      })
      wheel.endTurn()
      wheel.goTo(started + 40)
      const times = (name: string): number[] => ran.get(name) ?? []
      expect(times('other')).toEqual([10])
      for (const name of ['moved', 'refreshed']) expect([[10], [15]]).toContainEqual(times(name))
      for (const name of ['cancelled', 'closed']) expect([[], [10]]).toContainEqual(times(name))
      for (const name of ['new', 'unnamed']) expect([[], [15]]).toContainEqual(times(name))
      expect(times('far')).toEqual([])
      expect(scheduler.pending).toBeLessThanOrEqual(1)
      if (isDone) {
        expect(Object.fromEntries(ran)).toEqual({
          other: [10],
          moved: [15],
          refreshed: [15],
          new: [15],
          unnamed: [15],
        })
      }
    })
  })

  it.each(name === 'a new wheel' ? BEFORE : scaled([32], BEFORE))(
    'runs no later timer early, with %d operations before in the turn',
    (before) => {
      everywhere((attempt) => {
        const wheel = open()
        const { scheduler } = wheel
        for (let n = 0; n < before; n++) {
          scheduler.scheduleUnnamed(() => {}, undefined, 1000)
          if (n === 50) wheel.now += 3.7
        }
        interruptMethods(scheduler)
        attempt(() => {
          for (let n = 0; n < 3; n++) scheduler.scheduleUnnamed(() => {}, undefined, 1000)
          wheel.now += 0.3
          scheduler.scheduleUnnamed(() => {}, undefined, 1000.5)
        })
        wheel.now += 0.4
        const set = wheel.now
        const ranAt: number[] = []
        for (let n = 0; n < 100; n++) scheduler.scheduleUnnamed(() => ranAt.push(wheel.now), undefined, 10)
        wheel.endTurn()
        wheel.turn(Math.ceil(set))
        wheel.goTo(Math.ceil(set) + 20)
        expect(ranAt.length).toBe(100)
        expect(Math.min(...ranAt)).toBeGreaterThanOrEqual(set + 10)
      })
    },
  )

  it('runs all timers after an interrupted pass', () => {
    everywhere((attempt) => {
      const wheel = open()
      const { scheduler } = wheel
      const started = wheel.now
      const ran: string[] = []
      const late: string[] = []
      const note = (name: string, due: number): void => {
        ran.push(name)
        const by = wheel.now - started - due
        if (by < 0 || by > 2) late.push(`${name} by ${by}`)
      }
      wheel.set(() => note('handle', 10), 10)
      scheduler.scheduleId(() => note('id', 10), undefined, 10)
      scheduler.scheduleUnnamed(() => note('unnamed', 11), undefined, 11)
      const refreshed = wheel.set(() => note('refreshed', 14), 10)
      let runs = 0
      const interval = wheel.repeat(() => runs++, 5)
      wheel.endTurn()
      wheel.goTo(started + 4)
      refreshed.refresh()
      wheel.endTurn()
      wheel.goTo(started + 8)
      interruptMethods(scheduler)
      const isDone = attempt(() => wheel.goTo(started + 12))
      scheduler.recover()
      wheel.goTo(started + 50)
      interval.close()
      expect(late).toEqual([])
      expect(new Set(ran).size).toBe(ran.length)
      // A callback that could not begin is over.
      expect(ran.length).toBeGreaterThanOrEqual(isDone ? 4 : 3)
      expect(runs).toBeGreaterThanOrEqual(isDone ? 10 : 8)
      expect(scheduler.pending).toBe(0)
    })
  })
})
