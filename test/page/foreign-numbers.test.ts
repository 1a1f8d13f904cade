/**
 * A page's native `clearTimeout` reads any value modulo 2^32. The numbers of this package must not match a native
 * timer.
 */
import { describe, expect, it } from '@jest/globals'
import { nextNumber } from '../../lib/page/handle-numbers.js'
import { SimulatedPage } from './simulated-page.js'

/** Converts a value as a page's `clearTimeout` does: to WebIDL's `long`. The ids of native timers start at 1. */
const timerNamedBy = (value: unknown): number => (value as number) | 0

describe('the native clearTimeout of a page', () => {
  // This test runs first, while the numbers of handles are lowest.
  it('does not clear the alarm of a wheel when it gets handles and ids', async () => {
    const page = new SimulatedPage()
    const { TimerWheel, setTimeout } = page.api
    const wheel = new TimerWheel()
    const ran: string[] = []
    setTimeout(() => ran.push('shared'), 50)
    wheel.schedule(() => ran.push('own'), 50)
    await page.run(10)
    for (let i = 0; i < 100; i++) {
      page.clearTimeout(setTimeout(() => ran.push('handle'), 20))
      page.clearTimeout(+setTimeout(() => ran.push('handle'), 20))
      page.clearTimeout(wheel.schedule(() => ran.push('id'), 20))
    }
    await page.run(100)
    expect(ran.slice(-2).sort()).toEqual(['own', 'shared'])
    // The page has no timer of these numbers, so it clears none.
    expect(ran.length).toBe(302)
  })

  it('finds no timer by a handle, as an object, a number or text', () => {
    const { api } = new SimulatedPage()
    const handles = Array.from({ length: 3000 }, () => api.setTimeout(() => {}, 10))
    const values = handles.flatMap((handle) => [handle, +handle, `${+handle}`])
    expect(values.filter((value) => timerNamedBy(value) > 0).map(Number)).toEqual([])
    expect(new Set(handles.map(Number)).size).toBe(3000)
  })

  it('finds no timer by any later number of a handle', () => {
    for (const start of [2 ** 52, 2 ** 52 + 2 ** 31 - 3, 2 ** 52 + 2 ** 32 - 3, 2 ** 53 - 2 ** 32 - 3]) {
      let number = start
      for (let i = 0; i < 10; i++) {
        const next = nextNumber(number)
        expect(next).toBeGreaterThan(number)
        expect(timerNamedBy(next)).toBeLessThan(0)
        number = next
      }
      expect(Number.isSafeInteger(number)).toBe(true)
    }
  })
})
