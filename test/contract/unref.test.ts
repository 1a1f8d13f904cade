/** `{ unref: true }`: the timers of a wheel begin without a reference. test/node/loop-life.test.ts has the life of processes. */
import { expect, it } from '@jest/globals'
import { manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
  for (const asyncContext of [true, false]) {
    it(`sets handles without a reference, which ref() gives (async context: ${asyncContext})`, () => {
      const wheel = manualWheel(backend, { unref: true, asyncContext })
      const ran: string[] = []
      const timeout = wheel.setTimeout((name) => ran.push(name), 5, 'timeout')
      const interval = wheel.setInterval(() => ran.push('interval'), 10)
      expect([timeout.hasRef(), interval.hasRef(), wheel.pending]).toEqual([false, false, 2])
      expect([timeout.ref().hasRef(), interval.ref().hasRef()]).toEqual([true, true])
      wheel.advance(20)
      expect(ran).toEqual(['timeout', 'interval', 'interval'])
      expect(timeout.refresh().hasRef()).toBe(true)
      expect(timeout.unref().refresh().hasRef()).toBe(false)
      timeout.close()
      interval.unref().close()
      expect(wheel.pending).toBe(0)
    })
  }

  it('runs, moves and cancels ids as other wheels do', () => {
    const wheel = manualWheel(backend, { unref: true })
    const ran: number[] = []
    const ids = Array.from({ length: 1000 }, (_, n) => wheel.schedule((n) => ran.push(n), 10, n))
    for (let n = 0; n < 1000; n += 3) wheel.cancel(ids[n]!)
    for (let n = 1; n < 1000; n += 3) wheel.reschedule(ids[n]!, 20)
    expect(wheel.pending).toBe(666)
    wheel.advance(10)
    expect(ran).toEqual(Array.from({ length: 333 }, (_, n) => 3 * n + 2))
    wheel.advance(10)
    expect([ran.length, wheel.pending]).toEqual([666, 0])
    expect(ids.some((id) => wheel.cancel(id))).toBe(false)
    wheel.trim()
    wheel.schedule(() => {}, 1)
    expect([wheel.pending, wheel.stop().length, wheel.pending]).toEqual([1, 1, 0])
  })
})
