/** Ticks may be fractions of a millisecond. See also model.test.ts, whose programs have such ticks. */
import { expect, it } from '@jest/globals'
import { type Backend, expectRefusal, manualWheel, onEachBackend, RANGE } from './backends.js'

onEachBackend((backend: Backend) => {
  it('counts virtual time in whole microseconds', () => {
    const wheel = manualWheel(backend, { tick: 0.05 })
    let runs = 0
    wheel.schedule(() => runs++, 0.05)
    wheel.schedule(() => runs++, 0.15)
    wheel.advance(0.0494)
    expect(runs).toBe(0)
    wheel.advance(0.0006)
    expect(runs).toBe(1)
    expect(wheel.stop()[0]!.remaining).toBeCloseTo(0.1, 12)
  })

  it('ends virtual time after 2^53 microseconds', () => {
    const wheel = manualWheel(backend, { tick: 0.05 })
    wheel.advance(2 ** 42)
    const message = 'the end of virtual time must be 2^53 us at the latest, got 13194139533312000'
    expectRefusal(() => wheel.advance(2 ** 43), RANGE, message)
    wheel.schedule(() => {}, 0.05)
    wheel.advance(0.05)
    expect(wheel.pending).toBe(0)
  })
})
