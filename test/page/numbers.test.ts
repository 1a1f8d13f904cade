/** Numbers of handles and ids of `schedule()` name no native timer, also modulo 2^32, as a page's native `clearTimeout` reads any value. */
import { nextNumber } from '../../lib/page/timeout.js'
import { freshEntry, SimulatedPage } from './simulated-page.js'

/** Converts a value as a page's `clearTimeout` does: to WebIDL's `long`. The ids of native timers start at 1. */
const timerNamedBy = (value: unknown): number => (value as number) | 0

it('gives no handle that names a native timer: as an object, a number or text', () => {
  const { setTimeout, clearTimeout } = freshEntry()
  const handles = Array.from({ length: 3000 }, () => setTimeout(() => {}, 10))
  const values = handles.flatMap((handle) => [handle, +handle, `${+handle}`])
  expect(values.filter((value) => timerNamedBy(value) > 0).map(Number)).toEqual([])
  expect(new Set(handles.map(Number)).size).toBe(3000)
  // The numbers of handles begin above all ids.
  expect(Math.min(...handles.map(Number))).toBeGreaterThan(2 ** 52)
  handles.forEach(clearTimeout)
})

it('gives no later number to a handle that names a native timer', () => {
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

it('clears by number: its own function only its own timers, and those of the page by the function of the page', async () => {
  const page = new SimulatedPage()
  const { clearTimeout, setTimeout, TimerWheel } = page.api
  const wheel = new TimerWheel()
  const ran: string[] = []
  const timers = ['by the page', 'by us', 'kept'].map((name) => setTimeout(() => ran.push(name), 10))
  const id = wheel.schedule(() => ran.push('id'), 10)
  const interval = wheel.setInterval(() => ran.push('interval'), 10)
  await page.run(1)
  // One for each wheel. The function of the page reads each number modulo 2^32, and finds none of its timers.
  const native = page.awaited
  for (const number of [+timers[0]!, +interval, id]) page.clearTimeout(number)
  expect([native, page.awaited]).toEqual([2, 2])
  clearTimeout(+timers[1]!)
  clearTimeout(`${+interval}`)
  // Ours passes on what is none of ours: the number of a timer of the page clears that timer.
  const own = page.setTimeout(() => ran.push('own'), 10)
  clearTimeout(own)
  // An id belongs to its wheel.
  clearTimeout(id)
  await page.run(100)
  expect(ran.sort()).toEqual(['by the page', 'id', 'kept'])
})
