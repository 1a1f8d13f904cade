/** No timer is lost in pages that lack functions, or whose functions throw, as in edge routes of Next.js. */
import { type Options, pageWithWheel, SimulatedPage } from '../simulated-page.js'

const WORKER: Options = { workers: 'run', without: ['document'] }
const EDGE = { without: ['document'], throwing: ['MessageChannel'] }

it('sets a single native timer for a short delay, once the constructor of MessageChannel has thrown', async () => {
  const page = new SimulatedPage(EDGE)
  page.api.setTimeout(() => {}, 1)
  await page.run(10)
  const before = page.timers.length
  page.api.setTimeout(() => {}, 2)
  await page.run(10)
  expect(page.timers.slice(before).map(({ delay }) => delay)).toEqual([2])
})

it.each<[string, 'host' | 'worker', Options]>([
  ['has no MessageChannel', 'host', { without: ['MessageChannel'] }],
  ['is a worker, without document', 'host', WORKER],
  ['is a worker, without document', 'worker', WORKER],
  ['is an edge route, whose MessageChannel throws', 'host', EDGE],
  ['has channels without ports', 'host', { replacing: { MessageChannel: class {} } }],
  ['has a Worker that throws', 'worker', { workers: 'run', throwing: ['Worker'] }],
  ['has a Blob that throws', 'worker', { workers: 'run', throwing: ['Blob'] }],
  ['has no addresses for objects', 'worker', { workers: 'run', throwing: ['URL'] }],
  ['has workers that fail', 'worker', { workers: 'fail' }],
  ['has no workers', 'worker', { workers: 'none' }],
])('runs timers in order and on time, and reports errors, if a page %s: %s', async (_, driver, options) => {
  const { page, wheel } = pageWithWheel({ driver }, options)
  const ran: [number, number][] = []
  for (let n = 0; n < 6; n++) {
    wheel.schedule(() => {
      ran.push([n, page.elapsed])
      if (n === 4) throw new Error('thrown')
    }, 10)
  }
  await page.run(50)
  const interval = wheel.setInterval(() => {
    if (ran.push([6, page.elapsed]) === 8) interval.close()
    throw new Error('thrown')
  }, 50)
  await page.run(500)
  expect(ran).toEqual([...[0, 1, 2, 3, 4, 5].map((n) => [n, 10]), [6, 100], [6, 150]])
  expect(page.errors).toEqual(Array(3).fill(new Error('thrown')))
  wheel.stop()
  expect([page.workers, page.awaited]).toEqual([0, 0])
})
