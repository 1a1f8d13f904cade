/** White-box: a wheel that cannot get more memory. */
import { expect, it } from '@jest/globals'
import { RECORDS_PER_BLOCK } from '../../lib/memory/layout.js'
import { numbered } from '../../lib/node/handles/numbers.js'
import type { WheelTimeout } from '../../lib/node/handles/state.js'
import { everywhere, interruptMethods } from '../contract/everywhere.js'
import { TestWheel } from './test-wheel.js'

const isFull = expect.objectContaining({ code: 'ERR_WHEEL_FULL' })

const limited = (): TestWheel => {
  const wheel = new TestWheel()
  wheel.core.grow = () => false
  return wheel
}

/** Returns how many timers the wheel takes until it is full. */
const fill = (wheel: TestWheel): number => {
  for (let set = 0; ; set++) {
    try {
      wheel.set(() => {}, 1000)
    } catch (error) {
      expect(error).toEqual(isFull)
      return set
    }
  }
}

it('sets a timer again later if the wheel was full', () => {
  const wheel = limited()
  let ran = 0
  const timer = wheel.set(() => ran++, 10)
  const number = +timer
  wheel.endTurn()
  wheel.goTo(10)
  const other = wheel.set(() => {}, 1000)
  fill(wheel)
  expect(() => timer.refresh()).toThrow(isFull)
  expect(numbered.has(number)).toBe(false)
  other.close()
  timer.refresh()
  expect(numbered.get(number)).toBe(timer)
  expect(wheel.scheduler.pending).toBe(RECORDS_PER_BLOCK)
  wheel.endTurn()
  wheel.goTo(20)
  expect(ran).toBe(2)
})

it('keeps the record of an interval while its callback runs, also if it throws or cannot be refreshed', () => {
  const wheel = limited()
  let runs = 0
  const interval: WheelTimeout = wheel.repeat(() => {
    runs++
    expect(() => wheel.set(() => {}, 1)).toThrow(isFull)
    if (runs > 2) interval.refresh()
    throw new Error(`from run ${runs}`)
  }, 5)
  fill(wheel)
  expect(() => wheel.goTo(5)).toThrow('from run 1')
  expect(() => wheel.goTo(10)).toThrow('from run 2')
  expect(() => wheel.goTo(16)).toThrow(isFull)
  expect(() => wheel.goTo(21)).toThrow(isFull)
  expect([runs, wheel.scheduler.pending]).toEqual([4, RECORDS_PER_BLOCK])
  interval.close()
  expect(fill(wheel)).toBe(1)
})

it.each<[string, (interval: WheelTimeout) => unknown]>([
  ['cleared', (interval) => interval.close()],
  ['told to repeat no more', (interval) => (interval._repeat = null)],
  ['cleared, refreshed', (interval) => interval.close().refresh()],
])('releases the record of an interval that is %s in its callback', (_name, end) => {
  const wheel = limited()
  const interval: WheelTimeout = wheel.repeat(() => end(interval), 5)
  fill(wheel)
  wheel.goTo(6)
  expect(wheel.scheduler.pending).toBe(RECORDS_PER_BLOCK - 1)
  expect(fill(wheel)).toBe(1)
})

it('releases the record of an interval that is cleared in its callback, after any interruption', () => {
  everywhere((attempt) => {
    const wheel = limited()
    const interval: WheelTimeout = wheel.repeat(() => interval.close(), 5)
    wheel.endTurn()
    interruptMethods(wheel.scheduler)
    attempt(() => wheel.goTo(6))
    wheel.scheduler.recover()
    interval.close()
    wheel.goTo(20)
    expect(wheel.scheduler.pending).toBe(0)
    expect(fill(wheel)).toBe(RECORDS_PER_BLOCK)
  })
})
