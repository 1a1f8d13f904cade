/** A wheel of a page gives memory back. WebAssembly memory never shrinks, so the wheel starts with a new one. */
import { describe, expect, it } from '@jest/globals'
import { instantiateWasm } from '../../lib/memory/instantiate-wasm.js'
import { openScheduler } from '../../lib/page/scheduler.js'
import type { Scheduler } from '../../lib/page/scheduler-types.js'
import { SimulatedPage } from './simulated-page.js'

const MANY = 20_000

const bytesOf = (wheel: object): number =>
  (wheel as { _scheduler: Scheduler })._scheduler._words().buffer.byteLength

describe('a wheel that had many timers', () => {
  it.each(['host', 'worker', 'animation-frame'] as const)(
    'gives memory back some time after it becomes empty, driven by %s',
    async (driver) => {
      const page = new SimulatedPage()
      const wheel = new page.api.TimerWheel({ driver })
      const atFirst = bytesOf(wheel)
      for (let n = 0; n < MANY; n++) wheel.schedule(() => {}, 10)
      await page.run(100)
      expect(wheel.pending).toBe(0)
      const most = bytesOf(wheel)
      expect(most).toBeGreaterThan(atFirst)
      await page.run(9000)
      expect(bytesOf(wheel)).toBe(most)
      await page.run(2000)
      expect([bytesOf(wheel), page.awaited]).toEqual([atFirst, 0])
    },
  )

  it.each(['host', 'worker', 'animation-frame'] as const)(
    'counts the time anew from each use, driven by %s',
    async (driver) => {
      const page = new SimulatedPage()
      const wheel = new page.api.TimerWheel({ driver })
      const atFirst = bytesOf(wheel)
      const use = (): void => {
        const ids = Array.from({ length: MANY }, () => wheel.schedule(() => {}, 60_000))
        for (const id of ids) wheel.cancel(id)
      }
      use()
      const most = bytesOf(wheel)
      await page.run(9000)
      use()
      await page.run(9000)
      expect(bytesOf(wheel)).toBe(most)
      await page.run(2000)
      expect([bytesOf(wheel), page.awaited]).toEqual([atFirst, 0])
    },
  )

  it('keeps its memory while timers are pending', async () => {
    const page = new SimulatedPage()
    const wheel = new page.api.TimerWheel()
    for (let n = 0; n < MANY; n++) wheel.schedule(() => {}, 10)
    let ran = 0
    wheel.schedule(() => ran++, 60_000)
    await page.run(100)
    const most = bytesOf(wheel)
    wheel.trim()
    await page.run(59_000)
    expect([bytesOf(wheel), ran]).toEqual([most, 0])
    await page.run(2000)
    expect(ran).toBe(1)
  })

  it('gives no id twice and ignores all former ids, however often it is trimmed', async () => {
    const wheel = new new SimulatedPage().api.TimerWheel({ driver: 'manual' })
    const atFirst = bytesOf(wheel)
    const ids = new Set<number>()
    let former: number[] = []
    for (let round = 0; round < 20; round++) {
      const next = Array.from({ length: 6000 }, () => wheel.schedule(() => {}, 10))
      for (const id of next) ids.add(id)
      expect(former.filter((id) => wheel.cancel(id) || wheel.reschedule(id, 10))).toEqual([])
      wheel.advance(10)
      wheel.trim()
      expect(bytesOf(wheel)).toBe(atFirst)
      former = next
    }
    expect(ids.size).toBe(20 * 6000)
  })

  it('continues after a callback trims it', () => {
    const wheel = new new SimulatedPage().api.TimerWheel({ driver: 'manual' })
    const ran: string[] = []
    const handle = wheel.setTimeout(() => ran.push('refreshed'), 5)
    for (let n = 0; n < MANY; n++) wheel.schedule(() => {}, 10)
    wheel.schedule(() => {
      wheel.trim()
      wheel.schedule(() => ran.push('after'), 10)
    }, 20)
    wheel.advance(20)
    handle.refresh()
    wheel.advance(10)
    expect([ran, wheel.pending]).toEqual([['refreshed', 'refreshed', 'after'], 0])
  })

  it.each([2 ** 20, 2 ** 31 + 5, 2 ** 32 - 2, 2 ** 33 + 2 ** 31, 2 ** 45 + 7])(
    'keeps time when it is trimmed at tick %d',
    (start) => {
      let time = 0
      const scheduler = openScheduler(
        instantiateWasm,
        () => time,
        () => {},
      )
      for (let n = 0; n < MANY; n++) scheduler._schedule(0, () => {}, 10)
      const run = (): void => {
        while (scheduler._nextWake() <= time) while (scheduler._step());
      }
      // End the turn before time passes.
      scheduler._nextWake()
      time = 10
      run()
      expect(scheduler._pending()).toBe(0)
      time = start
      scheduler._trim()
      const ran: [number, number][] = []
      for (const delay of [5, 1, 300, 70_000, 2 ** 29 + 3, 2 ** 33]) {
        scheduler._schedule(0, () => ran.push([delay, time - start]), delay)
      }
      while (scheduler._pending() > 0) {
        time = Math.max(time, scheduler._nextWake())
        run()
      }
      expect(ran.map(([delay]) => delay)).toEqual([1, 5, 300, 70_000, 2 ** 29 + 3, 2 ** 33])
      // The last three ticks before each wrap encode states. A timer due at one of them runs at the wrap instead.
      for (const [delay, at] of ran) expect([at - delay >= 0, at - delay <= 3]).toEqual([true, true])
    },
  )
})
