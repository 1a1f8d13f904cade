/** White-box: a record whose ids come to an end, which would take hours by public calls. */
import { expect, it } from '@jest/globals'
import { GENERATION } from '../../lib/memory/layout.js'
import { GENERATIONS, unitOfId } from '../../lib/node/scheduler/id-timers.js'
import { TestWheel } from './test-wheel.js'

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
