/** White-box: exceptions interrupt operations at each call of a method of the scheduler, as a time limit does. */
import { describe, expect, it } from '@jest/globals'
import * as wasm from '../../lib/entry/wasm.js'
import { RECORDS_PER_BLOCK } from '../../lib/memory/layout.js'
import type { WheelTimeout } from '../../lib/node/handles/state.js'
import type { Scheduler } from '../../lib/node/scheduler/scheduler.js'
import { schedulerOf } from '../../lib/node/scheduler-of.js'
import type { Backend, Wheel } from '../contract/backends.js'
import { everywhere, interruptMethods } from '../contract/everywhere.js'
import { specifyInterruptions } from '../contract/interrupted-operations.js'
import { scaled } from '../scale.js'
import { inside, TestWheel } from './test-wheel.js'

/** Soon before the order numbers start again. */
const LAST_ORDER = 2 ** 30 - 128 - 8
/** Before the ticks wrap. No deadline here is one of the last three ticks, because such timers run at the wrap. */
const BEFORE_WRAP = 2 ** 32 - 9
const WEEKS = 2 ** 31 + 100

/** Lets an attempt interrupt each call of a method of the scheduler and of the objects that it is composed of. */
function interruptScheduler(scheduler: Scheduler): void {
  const { far, ids, log, emptied } = scheduler
  for (const part of [scheduler, far, ids, log, emptied]) interruptMethods(part)
}

const prepare = (wheel: Wheel): void => interruptScheduler(schedulerOf(wheel as never)!)
specifyInterruptions(
  wasm as unknown as Backend,
  [
    { title: 'a wheel that nobody has used for weeks', start: WEEKS, isEmpty: true, prepare },
    { title: 'a wheel whose ticks wrap, in a callback', start: BEFORE_WRAP, isInside: true, prepare },
    {
      title: 'a wheel whose order numbers start again',
      prepare(wheel) {
        ;(schedulerOf(wheel as never) as unknown as { order: number }).order = LAST_ORDER
        prepare(wheel)
      },
    },
  ],
  true,
)

/** States in which operations take rare paths: the time at the start, and what comes before the operations. */
const STATES: [title: string, start: number, prepare: (wheel: TestWheel) => void][] = [
  ['a new wheel', 0, () => {}],
  ['a wheel whose ticks wrap', BEFORE_WRAP, () => {}],
  [
    'a wheel whose order numbers start again',
    0,
    (wheel) => Object.assign(inside(wheel), { order: LAST_ORDER }),
  ],
  [
    'a wheel that nobody has used for weeks',
    0,
    (wheel) => {
      wheel.set(() => {}, 1)
      wheel.goTo(2)
      wheel.now = WEEKS
    },
  ],
]

// The first 32 operations of a turn read the clock each; then 64 share a reading. If those 64 take long, the next read it.
const BEFORE = [0, 31, 32, 40, 96]

describe.each(STATES)('%s', (name, start, prepare) => {
  const counts = name === 'a new wheel' ? BEFORE : scaled([32], BEFORE)
  it.each(counts)('runs no later timer early, with %d operations before', (before) => {
    everywhere((attempt) => {
      const wheel = new TestWheel(start)
      prepare(wheel)
      const { scheduler } = wheel
      const set = (callback: () => void, ms: number): number => scheduler.scheduleId(callback, undefined, ms)
      for (let n = 0; n < before; n++) {
        set(() => {}, 1000)
        if (n === 50) wheel.now += 3.7
      }
      interruptScheduler(scheduler)
      interruptMethods(wheel.core)
      attempt(() => {
        for (let n = 0; n < 3; n++) set(() => {}, 1000)
        wheel.now += 0.3
        set(() => {}, 1000.5)
      })
      wheel.now += 0.4
      const started = wheel.now
      const ranAt: number[] = []
      for (let n = 0; n < 100; n++) set(() => ranAt.push(wheel.now), 10)
      wheel.endTurn()
      wheel.turn(Math.ceil(started))
      wheel.goTo(Math.ceil(started) + 20)
      expect(ranAt.length).toBe(100)
      expect(Math.min(...ranAt)).toBeGreaterThanOrEqual(started + 10)
    })
  })
})

it('releases the record of an interval that is cleared in its callback', () => {
  everywhere((attempt) => {
    const wheel = new TestWheel()
    wheel.core.grow = () => false
    const interval: WheelTimeout = wheel.repeat(() => interval.close(), 5)
    wheel.endTurn()
    interruptMethods(wheel.scheduler)
    attempt(() => wheel.goTo(6))
    wheel.scheduler.recover()
    interval.close()
    wheel.goTo(20)
    expect(wheel.scheduler.pending).toBe(0)
    for (let n = 0; n < RECORDS_PER_BLOCK; n++) wheel.schedule(() => {}, 1000)
  })
})
