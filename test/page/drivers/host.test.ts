/** The driver 'host' in a page. */
import { ignore } from '../../contract/backends.js'
import { pageWithWheel, setBurst } from '../simulated-page.js'

it('sets no native timer while nothing is pending, and one for the next deadline', async () => {
  const { page, wheel } = pageWithWheel()
  await page.run(100)
  expect(page.timers).toEqual([])
  wheel.schedule(() => {}, 50)
  wheel.schedule(() => {}, 5000)
  await page.run(40)
  expect(page.timers).toEqual([{ nesting: 1, delay: 50 }])
  await page.run(10_000)
  expect([page.timers.length, wheel.pending]).toEqual([2, 0])
})

it('sets native timers for the longest delay that a page takes, one after the other, until a farther deadline', async () => {
  const { page, wheel } = pageWithWheel()
  let ranAt = 0
  wheel.schedule(() => {
    ranAt = page.elapsed
  }, 2 ** 40)
  await page.run(1)
  expect(page.timers.map(({ delay }) => delay)).toEqual([2 ** 31 - 1])
  await page.run(2 ** 40)
  expect([ranAt, page.timers.length]).toEqual([2 ** 40, 513])
})

it.each([
  ['a delay that the page would lengthen', 3, false],
  ['a hidden page', 500, true],
])('sets an unnested native timer from a deeply nested callback, for %s', async (_, delay, hidden) => {
  const { page, wheel } = pageWithWheel({}, { hidden })
  await page.call(() => wheel.schedule(() => {}, delay), 9)
  await page.run(1)
  expect(page.timers.map(({ nesting }) => nesting)).toEqual([1])
})

it('sets a native timer at once for a delay that the page does not lengthen', async () => {
  const { page, wheel } = pageWithWheel()
  await page.call(() => wheel.schedule(() => {}, 10), 9)
  expect([page.timers.length, page.timers[0]!.delay, page.messages]).toEqual([1, 10, 0])
})

it('posts one message per wake-up, which also sets the next native timer, never a nested one', async () => {
  const { page, wheel } = pageWithWheel()
  let ran = 0
  for (let i = 0; i < 50; i++) {
    const delay = 10 * Math.ceil((i + 1) / 5)
    wheel.schedule(() => {
      ran++
      // The end of the turn in which a step applies an operation sets no native timer.
      wheel.cancel(wheel.schedule(ignore, 1000))
      if (i % 5 === 4) throw new Error('thrown')
    }, delay)
  }
  await page.run(1000)
  expect([ran, page.errors.length, page.timers.length, page.messages]).toEqual([50, 10, 10, 10])
  expect(new Set(page.timers.map(({ nesting }) => nesting))).toEqual(new Set([1]))
})

it('runs once a second in a hidden page, never once a minute', async () => {
  const { page, wheel } = pageWithWheel({}, { hidden: true })
  let runs = 0
  wheel.setInterval(() => runs++, 100)
  await page.run(10_000)
  expect(runs).toBeGreaterThanOrEqual(9)
})

it('counts the delay of an interval from the start of its callback, and runs a late one at once', async () => {
  const { page, wheel } = pageWithWheel()
  const pauses: number[] = []
  let ended = Number.NEGATIVE_INFINITY
  wheel.setInterval(() => {
    pauses.push(page.time - ended)
    page.time += 25
    ended = page.time
  }, 10)
  await page.run(200)
  expect(pauses.length).toBeGreaterThan(5)
  expect(new Set(pauses.slice(1))).toEqual(new Set([0]))
})

it.each(['visibilitychange', 'resume', 'pageshow'] as const)(
  'catches up on %s, once and in order',
  async (event) => {
    const { page, wheel } = pageWithWheel()
    const ran: string[] = []
    wheel.schedule(() => ran.push('second'), 2000)
    wheel.schedule(() => ran.push('first'), 1500)
    wheel.setInterval(() => ran.push('interval'), 1000)
    await page.run(1)
    page.hidden = true
    // The native timers stand still: none fires for an hour.
    page.freeze(3_600_000)
    page.hidden = false
    await page.happen(event)
    await page.run(10)
    expect(ran).toEqual(['interval', 'first', 'second'])
    await page.run(1000)
    expect(ran).toEqual(['interval', 'first', 'second', 'interval'])
  },
)

it('keeps no native timer and no listener while nothing is pending, or once it is stopped', async () => {
  const { page, wheel } = pageWithWheel()
  const id = wheel.schedule(() => {}, 50)
  await page.run(10)
  wheel.cancel(id)
  await page.run(100)
  const before = page.messages
  await page.happen('visibilitychange')
  expect([page.awaited, page.messages]).toEqual([0, before])
  wheel.schedule(() => {}, 50)
  await page.run(10)
  expect(page.awaited).toBe(1)
  wheel.stop()
  await page.happen('visibilitychange')
  expect(page.awaited).toBe(0)
})

it('slices a burst into tasks of at most the budget, and takes a budget from the next callback on', async () => {
  const { page, wheel } = pageWithWheel({ budget: 5 })
  /** Runs a burst, and returns how many callbacks ran in each task. */
  const tasksOf = async (timers: typeof page.api | typeof wheel, onEighth = (): void => {}) => {
    const tasks = new Map<number, number>()
    setBurst(page, timers, 20, (n) => {
      tasks.set(page.messages, 1 + (tasks.get(page.messages) ?? 0))
      if (n === 7) onEighth()
    })
    await page.run(60)
    return [...tasks.values()]
  }
  // The first callback runs in the task of the native timer.
  expect(await tasksOf(wheel)).toEqual([1, 5, 5, 5, 4])
  expect(page.timers.length).toBe(1)
  page.api.configure({ budget: 2 })
  expect(await tasksOf(page.api, () => page.api.configure({ budget: 10 }))).toEqual([1, 2, 2, 2, 10, 3])
  page.api.configure({ budget: Number.POSITIVE_INFINITY })
  expect(await tasksOf(page.api)).toEqual([1, 19])
})

it('counts the tasks that take twice the budget or more', async () => {
  const { page, wheel } = pageWithWheel({ budget: 5 })
  // One that runs at the alarm, two that run in a message, and one of these that is the last.
  setBurst(page, wheel, 20, (n) => {
    if (n === 0 || n === 7 || n === 19) page.time += 9
  })
  await page.run(100)
  expect(wheel.stats()).toMatchObject({ fired: 20, overruns: 3 })
})

it('takes fewer tasks for a burst once a callback has used up the time of several', async () => {
  const { page, wheel } = pageWithWheel()
  const tasksOf = async (timers: number): Promise<number> => {
    for (let i = 0; i < timers; i++) wheel.schedule(() => {}, 10)
    const before = page.messages
    await page.run(20)
    expect(wheel.pending).toBe(0)
    return page.messages - before
  }
  const first = await tasksOf(2000)
  expect([first, await tasksOf(2000), await tasksOf(10)]).toEqual([6, 2, 1])
})

it('runs no further callback once it is stopped in a burst', async () => {
  const { page, wheel } = pageWithWheel()
  const ran = setBurst(page, wheel, 10, (n) => n === 2 && wheel.stop())
  await page.run(100)
  expect(ran).toEqual([0, 1, 2])
})
