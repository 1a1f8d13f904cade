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
  // This test runs first, while the numbers of handles are lowest. For those of ids see ids.test.ts.
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
