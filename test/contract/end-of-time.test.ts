/** Virtual time ends. For long delays and fine ticks see model.test.ts, whose programs have them. */
import { expectRefusal, manualWheel, onEachBackend, RANGE } from './backends.js'

onEachBackend((backend) => {
  it('throws at the end of virtual time, and moves no further', () => {
    const wheel = manualWheel(backend)
    const ran: number[] = []
    wheel.advance(2 ** 53 - 5)
    for (const ms of [1, 2, 3, 4, 8]) wheel.schedule((n) => ran.push(n as number), ms, ms)
    wheel.advance(1)
    expect(() => wheel.advance(6)).toThrow(RangeError)
    expect(ran).toEqual([1])
    wheel.advance(4)
    wheel.setInterval(() => {}, 1)
    wheel.runAll()
    expect([ran, wheel.pending, wheel.now]).toEqual([[1, 2, 3, 4], 2, 2 ** 53])
  })

  it('ends after 2^53 microseconds if ticks are fractions', () => {
    const wheel = manualWheel(backend, { tick: 0.05 })
    wheel.advance(2 ** 42)
    const message = 'the end of virtual time must be 2^53 us at the latest, got 13194139533312000'
    expectRefusal(() => wheel.advance(2 ** 43), RANGE, message)
    wheel.schedule(() => {}, 0.05)
    wheel.advance(0.05)
    expect(wheel.pending).toBe(0)
  })
})
