/** The driver 'worker' in a page. */
import { pageWithWheel, SimulatedPage } from '../simulated-page.js'

/** Runs an interval of 100 ms. Returns when it ran. */
const intervalTimes = async (page: SimulatedPage, ms: number): Promise<number[]> => {
  const wheel = new page.api.TimerWheel({ driver: 'worker' })
  const ranAt: number[] = []
  wheel.setInterval(() => ranAt.push(page.elapsed), 100)
  await page.run(ms)
  wheel.stop()
  return ranAt
}

it('runs on time in a hidden page', async () => {
  const page = new SimulatedPage({ workers: 'run', hidden: true })
  expect(await intervalTimes(page, 510)).toEqual([100, 200, 300, 400, 500])
  expect(page.addresses).toEqual(['blob:'])
})

it('wakes up for a new earlier deadline, also while its worker starts', async () => {
  const { page, wheel } = pageWithWheel({ driver: 'worker' }, { workers: 'run' })
  const ranAt: number[] = []
  const note = (): unknown => ranAt.push(page.elapsed)
  wheel.schedule(note, 1000)
  wheel.schedule(note, 1)
  await page.run(10)
  expect(ranAt).toEqual([1])
  wheel.schedule(note, 20)
  await page.run(2000)
  expect(ranAt).toEqual([1, 30, 1000])
})

it('waits for timers that are farther away than the longest delay of a page', async () => {
  const { page, wheel } = pageWithWheel({ driver: 'worker', tick: 16 }, { workers: 'run' })
  const ranAt: number[] = []
  wheel.schedule(() => ranAt.push(page.elapsed), 3e9)
  await page.run(1000)
  const before = page.messages
  await page.run(3.1e9)
  expect(ranAt[0]).toBeGreaterThanOrEqual(3e9)
  expect(ranAt[0]).toBeLessThanOrEqual(3e9 + 32)
  expect(page.messages - before).toBeLessThan(50)
})

it('starts one worker for all wheels when the first needs it, and ends it with the last', async () => {
  const page = new SimulatedPage({ workers: 'run' })
  page.api.clearTimeout(page.api.setTimeout(() => {}, 10))
  new page.api.TimerWheel().stop()
  await page.run(10)
  expect(page.workers).toBe(0)
  const wheels = [1, 2, 3].map(() => new page.api.TimerWheel({ driver: 'worker' }))
  const ran: number[] = []
  wheels.forEach((wheel, i) => {
    wheel.schedule(() => ran.push(i), 50 - i)
  })
  await page.run(100)
  expect([page.workers, ran]).toEqual([1, [2, 1, 0]])
  wheels[0]!.stop()
  wheels[1]!.stop()
  expect(page.workers).toBe(1)
  wheels[2]!.stop()
  expect(page.workers).toBe(0)
  const another = new page.api.TimerWheel({ driver: 'worker' })
  another.schedule(() => ran.push(3), 50)
  await page.run(100)
  expect([page.workers, ran]).toEqual([1, [2, 1, 0, 3]])
})

it.each([
  ['an hour', 3_600_000],
  ['weeks, more than the longest delay of a worker', 3e9],
])('catches up when the page wakes from a sleep of %s, in which its worker stood still', async (_, ms) => {
  const { page, wheel } = pageWithWheel({ driver: 'worker' }, { workers: 'run' })
  const ran: string[] = []
  wheel.schedule(() => ran.push('overdue'), 600_000)
  wheel.schedule(() => ran.push('later'), ms + 600_000)
  await page.run(5000)
  page.freeze(ms)
  await page.happen('resume')
  // The end of the turn looks at the alarm again.
  wheel.schedule(() => ran.push('soon'), 10)
  await page.run(50)
  expect(ran).toEqual(['overdue', 'soon'])
  await page.run(600_000)
  expect(ran).toEqual(['overdue', 'soon', 'later'])
})
