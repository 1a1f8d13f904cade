/** Delays and uptimes may be long: ticks of 32 bits wrap, deadlines do not. See also model.test.ts. */
import { expect, it } from '@jest/globals'
import { scaled } from '../scale.js'
import { manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
  it('says the tick at which a far timer runs', () => {
    const wheel = manualWheel(backend, { tick: 60_000 })
    const timeout = wheel.setTimeout(() => {}, { delay: 57e12 + 30_000 })
    expect([timeout.deadline, timeout.remaining]).toEqual([57e12 + 60_000, 57e12 + 60_000])
    wheel.runAll()
    expect(wheel.now).toBe(57e12 + 60_000)
  })

  it.each([0.4, 1])('loses no timer that is set after %d of 12.4 days without expirations', (part) => {
    const wheel = manualWheel(backend)
    const ran: unknown[][] = []
    const note = (name: string): unknown => ran.push([name, wheel.now - start])
    // At first nothing is pending, then nothing is due. So the core does not advance, and its time lags behind the clock.
    wheel.advance(2 ** 29 - 1)
    wheel.schedule(note, 2 ** 40, 'pending')
    wheel.advance(Math.floor(part * 2 ** 30) - 1)
    const start = wheel.now
    wheel.schedule(note, 2 ** 31, 'set later')
    wheel.setTimeout(note, 2 ** 31 - 1, 'by handle')
    wheel.advance(2 ** 41)
    expect(ran).toEqual([
      ['by handle', 2 ** 31 - 1],
      ['set later', 2 ** 31],
      ['pending', 2 ** 40 + 2 ** 29 - 1 - start],
    ])
  })

  it('throws at the end of virtual time, and moves no further', () => {
    // With ticks of 1 ms, the way there takes seconds.
    const tick = scaled(1024, 1)
    const wheel = manualWheel(backend, { tick })
    const ran: number[] = []
    wheel.advance(2 ** 53 - 5 * tick)
    for (let ticks = 1; ticks <= 8; ticks++) wheel.schedule((n) => ran.push(n as number), ticks * tick, ticks)
    wheel.advance(tick)
    expect(() => wheel.advance(6 * tick)).toThrow(RangeError)
    expect(ran).toEqual([1])
    wheel.advance(4 * tick)
    wheel.setInterval(() => {}, tick)
    wheel.runAll()
    expect([ran, wheel.pending, wheel.now]).toEqual([[1, 2, 3, 4, 5], 4, 2 ** 53])
  })
})
