/** If a page loses the alarm that would wake a wheel, the next operation that sets or moves a timer sets it again. */
import { describe, expect, it } from '@jest/globals'
import type { Timeout } from '../../../lib/api/timeout.js'
import type { TimerWheel } from '../../../lib/api/wheel.js'
import { ignore } from '../../contract/backends.js'
import { numbersTo, pageWithWheel, setBurst } from '../simulated-page.js'

/** Operations of a wheel. Each begins a turn, and the end of a turn checks the alarm. */
const OPERATIONS: [string, (wheel: TimerWheel, handle: Timeout, id: number) => unknown][] = [
  ['schedule', (wheel) => wheel.schedule(ignore, 20_000)],
  ['setTimeout', (wheel) => wheel.setTimeout(ignore, 20_000)],
  ['setInterval', (wheel) => wheel.setInterval(ignore, 20_000)],
  ['reschedule', (wheel, _, id) => wheel.reschedule(id, 20_000)],
  ['refresh', (_, handle) => handle.refresh()],
]

describe.each(['host', 'worker'] as const)('a wheel driven by %s', (driver) => {
  it.each(OPERATIONS)('wakes again by %s after the page cleared all of its native timers', async (_, use) => {
    const { page, wheel } = pageWithWheel({ driver }, { workers: 'fail' })
    const ran: string[] = []
    wheel.schedule(() => ran.push('first'), 500)
    const id = wheel.schedule(ignore, 10_000)
    const handle = wheel.setTimeout(ignore, 10_000)
    await page.run(100)
    page.clearAllTimers()
    await page.run(100)
    use(wheel, handle, id)
    await page.run(320)
    expect(ran).toEqual(['first'])
  })

  it('wakes again by an operation in the turn that cleared all native timers', async () => {
    const { page, wheel } = pageWithWheel({ driver }, { workers: 'fail' })
    const ran: string[] = []
    wheel.schedule(() => ran.push('first'), 500)
    await page.run(100)
    wheel.schedule(() => ran.push('second'), 510)
    page.clearAllTimers()
    await page.run(600)
    expect(ran).toEqual(['first', 'second'])
  })
})

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
  expect([ran, wheel.pending]).toEqual([numbersTo(300), 0])
})
