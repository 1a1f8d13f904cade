/** A wheel of a page gives memory back by starting with a new one. For what it still keeps see test/contract/trim. */
import { expect, it } from '@jest/globals'
import type { Scheduler } from '../../lib/page/scheduler-types.js'
import { SimulatedPage } from './simulated-page.js'

const bytesOf = (wheel: object): number =>
  (wheel as { _scheduler: Scheduler })._scheduler._words().buffer.byteLength

it.each(['host', 'worker', 'animation-frame'] as const)(
  'gives memory back ten seconds after its last use, driven by %s',
  async (driver) => {
    const page = new SimulatedPage()
    const wheel = new page.api.TimerWheel({ driver })
    const atFirst = bytesOf(wheel)
    const schedule = (delay: number): number[] =>
      Array.from({ length: 20_000 }, () => wheel.schedule(() => {}, delay))
    schedule(10)
    await page.run(100)
    expect(wheel.pending).toBe(0)
    const most = bytesOf(wheel)
    expect(most).toBeGreaterThan(atFirst)
    await page.run(9000)
    for (const id of schedule(60_000)) wheel.cancel(id)
    await page.run(9000)
    expect(bytesOf(wheel)).toBe(most)
    await page.run(2000)
    expect([bytesOf(wheel), page.awaited]).toEqual([atFirst, 0])
    // It keeps its memory while a timer is pending.
    schedule(10)
    let ran = 0
    wheel.schedule(() => ran++, 60_000)
    await page.run(100)
    wheel.trim()
    await page.run(59_000)
    expect([bytesOf(wheel), ran]).toEqual([most, 0])
    await page.run(2000)
    expect(ran).toBe(1)
  },
)
