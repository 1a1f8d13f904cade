/**
 * White-box: the scheduler on the addon's core expires a tick as soon as all of its timers are due. The tests provide the
 * turns and a clock with fractions of a tick. scheduler.test.ts has random programs.
 */
import { expect, it } from '@jest/globals'
import { FineWheel } from './test-wheel.js'

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
