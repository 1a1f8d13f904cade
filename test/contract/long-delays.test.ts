/** Delays and uptimes may be long. See also model.test.ts. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
  it('says when a far timer is due', () => {
    const wheel = manualWheel(backend, { tick: 60_000 })
    const timeout = wheel.setTimeout(() => {}, { delay: 57e12 + 30_000 })
    expect([timeout.deadline, timeout.remaining]).toEqual([57e12 + 30_000, 57e12 + 30_000])
    wheel.runAll()
    expect(wheel.now).toBe(57e12 + 30_000)
  })

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
})
