/** If a page loses the alarm that would wake a wheel, the next operation that sets or moves a timer sets it again. */
import { ignore } from '../../contract/backends.js'
import { pageWithWheel, setBurst } from '../simulated-page.js'

it.each(['host', 'worker'] as const)(
  'wakes again by an operation after the page cleared all of its native timers, driven by %s',
  async (driver) => {
    const { page, wheel } = pageWithWheel({ driver }, { workers: 'fail' })
    const ran: string[] = []
    wheel.schedule(() => ran.push('first'), 500)
    await page.run(100)
    page.clearAllTimers()
    await page.run(100)
    wheel.schedule(ignore, 20_000)
    await page.run(320)
    expect(ran).toEqual(['first'])
  },
)

it('wakes a wheel without message channels, as on workerd, whose request ended before all due callbacks ran', async () => {
  const without = ['MessageChannel', 'document']
  const { page, wheel } = pageWithWheel({ budget: 5 }, { without })
  const ran = setBurst(page, wheel, 20)
  await page.run(12)
  // Without channels, native timers also make the turns.
  page.clearAllTimers()
  const before = ran.length
  expect([before > 0, before < 20]).toEqual([true, true])
  await page.run(2000)
  wheel.schedule(ignore, 10)
  await page.run(2000)
  expect(ran.length).toBe(20)
})

it('runs each timer once, in order, if callbacks take seconds', async () => {
  const { page, wheel } = pageWithWheel({ budget: 1 })
  const ran = setBurst(page, wheel, 300, (n) => {
    if (n % 100 === 50) page.time += 2000
    wheel.schedule(ignore, 5000)
  })
  await page.run(30_000)
  const all = Array.from({ length: 300 }, (_, n) => n)
  expect([ran, wheel.pending]).toEqual([all, 0])
})
