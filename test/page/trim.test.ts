/**
 * A wheel of a page gives memory back. WebAssembly memory never shrinks, so the wheel starts with a new one. For what a wheel that was
 * trimmed still keeps see test/contract/trim.
 */
import { describe, expect, it } from '@jest/globals'
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
})
