/** A page's timers count from their own calls. test/node/on-time.test.ts has turns with work, and drivers/coarse-clock.test.ts other clocks. */
import { ignore } from '../contract/backends.js'
import { pageWithWheel } from './simulated-page.js'

it('counts timers that callbacks set from their own calls, also after slow callbacks', async () => {
  const { page, wheel } = pageWithWheel()
  const late: number[] = []
  // Uses up the operations of its turn that get own readings, and leaves a row whose reading the next callbacks must not share.
  wheel.schedule(() => {
    for (let n = 0; n < 8 + 8; n++) wheel.schedule(ignore, 5000)
  }, 10)
  const setSlowly = (): void => {
    const due = page.time + 1000
    wheel.schedule(() => late.push(page.time - due), 1000)
    page.time += 5
  }
  for (let n = 0; n < 100; n++) wheel.schedule(setSlowly, 10)
  await page.run(2000)
  expect(late.length).toBe(100)
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...late)).toBeLessThanOrEqual(1)
})
