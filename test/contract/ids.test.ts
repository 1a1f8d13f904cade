/** A stale id or handle never affects another timer. */
import { expect, it } from '@jest/globals'
import { run } from '../node/child.js'
import { manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
  it('returns whether the timer of an id was pending', () => {
    const wheel = manualWheel(backend)
    const cancelled = wheel.schedule(() => {}, 10)
    const fired = wheel.schedule(() => {}, 10)
    expect([wheel.reschedule(cancelled, 20), wheel.cancel(cancelled), wheel.cancel(cancelled)]).toEqual([
      true,
      true,
      false,
    ])
    wheel.advance(10)
    expect([wheel.cancel(fired), wheel.reschedule(fired, 5), wheel.reschedule(cancelled, 5)]).toEqual([
      false,
      false,
      false,
    ])
    expect(wheel.pending).toBe(0)
  })

  it('gives every timer another id', () => {
    const wheels = [manualWheel(backend), manualWheel(backend), new backend.TimerWheel()]
    const ids = new Set<number>()
    for (let i = 0; i < 20_000; i++) {
      for (const wheel of wheels) {
        const id = wheel.schedule(() => {}, 1_000)
        ids.add(id)
        if (i % 3 !== 0) wheel.cancel(id)
      }
    }
    expect(ids.size).toBe(60_000)
    expect([...ids].every((id) => Number.isSafeInteger(id) && id > 0)).toBe(true)
    for (const wheel of wheels) wheel.stop()
  })

  it('never gives the id 0, which programs use for "no timer"', async () => {
    const outcome = await run(`
      import { TimerWheel } from 'timeout-wheel/${backend.backend}'
      const wheel = new TimerWheel()
      console.log(wheel.schedule(() => {}, 10) > 0)
      wheel.stop()
    `)
    expect(outcome).toEqual({ code: 0, signal: null, stderr: '', lines: ['true'] })
  })

  it('ignores the ids of timers whose records now serve other timers', () => {
    const wheel = manualWheel(backend)
    let ran = 0
    const stale = Array.from({ length: 100 }, () => wheel.schedule(() => {}, 10))
    for (const id of stale) wheel.cancel(id)
    for (let i = 0; i < 50; i++) wheel.schedule(() => ran++, 10)
    for (let i = 0; i < 50; i++) wheel.setTimeout(() => ran++, 10)
    expect(stale.some((id) => wheel.cancel(id) || wheel.reschedule(id, 1_000))).toBe(false)
    wheel.advance(10)
    expect(ran).toBe(100)
  })

  it('ignores ids of other wheels', () => {
    const wheel = manualWheel(backend)
    const other = manualWheel(backend)
    let ran = 0
    const own = Array.from({ length: 10_000 }, () => wheel.schedule(() => ran++, 10))
    const foreign = Array.from({ length: 10_000 }, () => other.schedule(() => ran++, 10))
    expect(foreign.some((id) => wheel.cancel(id) || wheel.reschedule(id, 1_000))).toBe(false)
    expect(own.some((id) => other.cancel(id) || other.reschedule(id, 1_000))).toBe(false)
    wheel.advance(10)
    other.advance(10)
    expect(ran).toBe(20_000)
  })

  it.each([0, -1, 0.5, 2 ** 26, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, -0])(
    'ignores %d, which is not an id',
    (id) => {
      const wheel = manualWheel(backend)
      let ran = 0
      const timeout = wheel.setTimeout(() => ran++, 10)
      wheel.schedule(() => ran++, 10)
      expect([wheel.cancel(id), wheel.reschedule(id, 1_000)]).toEqual([false, false])
      expect([wheel.cancel(+timeout), wheel.pending]).toEqual([false, 2])
      wheel.advance(10)
      expect(ran).toBe(2)
    },
  )

  it('ignores the ids of a stopped wheel when another wheel uses its numbers', () => {
    const stopped = manualWheel(backend)
    const ids = Array.from({ length: 10 }, () => stopped.schedule(() => {}, 10))
    stopped.stop()
    const wheel = manualWheel(backend)
    const others = Array.from({ length: 10 }, () => wheel.schedule(() => {}, 10))
    expect([...ids, ...others].some((id) => stopped.cancel(id) || stopped.reschedule(id, 10))).toBe(false)
    expect(ids.some((id) => wheel.cancel(id) || wheel.reschedule(id, 10))).toBe(false)
    expect([stopped.pending, wheel.pending]).toEqual([0, 10])
  })

  it('ignores numbers that would refer to the record of a handle', () => {
    const wheel = manualWheel(backend)
    const first = wheel.schedule(() => {}, 10)
    wheel.cancel(first)
    let ran = 0
    wheel.setTimeout(() => ran++, 10)
    const step = 2 ** 27
    const forged = Array.from({ length: 8 }, (_, i) => (first % step) + i * step)
    expect(forged.some((id) => wheel.cancel(id) || wheel.reschedule(id, 1_000))).toBe(false)
    wheel.advance(10)
    expect(ran).toBe(1)
  })

  it('gives no id of a stopped wheel to another wheel', () => {
    const ids = new Set<number>()
    for (let i = 0; i < 100; i++) {
      const wheel = manualWheel(backend)
      ids.add(wheel.schedule(() => {}, 10))
      wheel.stop()
    }
    expect(ids.size).toBe(100)
  })

  it('gives no id of a garbage-collected wheel to another wheel', async () => {
    const outcome = await run(
      `
      import { setTimeout as sleep } from 'node:timers/promises'
      import { TimerWheel } from 'timeout-wheel/${backend.backend}'
      const ids = new Set()
      const use = () => {
        const wheel = new TimerWheel()
        ids.add(wheel.schedule(() => {}, 60_000))
        wheel.stop()
      }
      for (let i = 0; i < 5; i++) { use(); await sleep(5); gc(); await sleep(5) }
      console.log(ids.size)
    `,
      ['--expose-gc'],
    )
    expect(outcome).toEqual({ code: 0, signal: null, stderr: '', lines: ['5'] })
  })

  it('does not let a finished handle affect the timer that took its record', () => {
    const wheel = manualWheel(backend)
    let ran = 0
    const cleared = wheel.setTimeout(() => {}, 10)
    const number = +cleared
    cleared.close()
    wheel.setTimeout(() => ran++, 10)
    cleared.refresh().unref().ref().close()
    wheel.clearTimeout(cleared)
    wheel.clearTimeout(number)
    expect(wheel.pending).toBe(1)
    wheel.advance(10)
    expect(ran).toBe(1)
  })
})
