/** A page can be frozen for weeks, with its computer or its virtual machine. Its timers run in time after that. */
import { pageWithWheel } from './simulated-page.js'

/** 49.7 days: more than the longest delay of the page's own timers. */
const WEEKS = 2 ** 32

it.each([0, 0.2, 0.51, 0.98, 1.02, 2.3])(
  'runs no timer early or late after a stop of %d times 49.7 days',
  async (length) => {
    const { page, wheel } = pageWithWheel()
    await page.run(0.7 * WEEKS + 0.5)
    const end = page.time + 1000 + length * WEEKS
    const faults: unknown[] = []
    let total = 0
    let count = 0
    const check = (what: string, delay: number, ms: number): void => {
      if (ms < 0 || ms > 2) faults.push([what, delay, ms])
    }
    const set = (time: number): void => {
      const delay = Math.round(time)
      const due = page.time + delay
      const run = (): void => {
        count++
        check('run', delay, page.time - Math.max(due, end))
      }
      total++
      if (delay >= 2 ** 31) return void wheel.schedule(run, delay)
      const handle = wheel.setTimeout(run, delay)
      checks.push(() => check('said', delay, handle.remaining - (due - page.time)))
    }
    const checks: (() => void)[] = []
    const delays = [1, 1000, 0.1 * WEEKS, 0.3 * WEEKS]
    for (const delay of delays) set(end - page.time + delay)
    for (const part of [0.1, 0.4, 0.9]) set(1000 + part * length * WEEKS)
    await page.run(999)
    set(5000)
    page.time = end
    for (const delay of delays) set(delay)
    for (const one of checks) one()
    await page.run(WEEKS)
    expect([faults, count]).toEqual([[], total])
  },
)
