/** Ticks may be fractions of a millisecond. For the deadlines of single timers see model.test.ts, whose programs have such ticks. */
import { expect, it } from '@jest/globals'
import { type Backend, expectRefusal, manualWheel, onEachBackend, RANGE } from './backends.js'

onEachBackend((backend: Backend) => {
  it.each([10, 2_000])('counts the delays of %d members of a group exactly', (count) => {
    const wheel = manualWheel(backend, { tick: 0.3 })
    const due = new Map<number, number>()
    let time = 0
    const untimely: number[] = []
    const group = wheel.group((n: number) => {
      if (due.get(n) !== time) untimely.push(n)
      due.delete(n)
    }, 3.9)
    const note = (n: number): unknown => due.set(n, Math.ceil((time + 3_900) / 300) * 300)
    const pass = (units: number): void => {
      for (const end = time + units; time < end; ) {
        time++
        wheel.advance(0.001)
      }
    }
    const members = Array.from({ length: count }, (_, n) => {
      note(n)
      const member = group.add(n)
      if (n % 7 === 0) pass(1)
      return member
    })
    for (let n = 0; n < count; n += 3) {
      if (group.touch(members[n]!)) note(n)
      if (n % 5 === 0) pass(11)
    }
    pass(4_500)
    expect([group.size, due.size, untimely]).toEqual([0, 0, []])
  })

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
