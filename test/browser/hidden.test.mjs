/** Engines throttle the timers of hidden pages: by default to one wake-up a second. */
import { describeOn } from './engine.mjs'
import { usePages } from './pages.mjs'

const pages = usePages()

/** Measures how late chained native timers of 50 ms are in the end, and then the timers of a wheel. */
async function lateness({ TimerWheel }, driver) {
  if (document.visibilityState !== 'hidden') throw new Error('the page is not hidden')
  const middle = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1]
  // Run the chain for some seconds and count its last timers: WebKit does not throttle the first ten.
  const native = []
  for (const end = performance.now() + 4_500; performance.now() < end; ) {
    const due = performance.now() + 50
    await new Promise((resolve) => setTimeout(resolve, 50))
    native.push(performance.now() - due)
  }
  const wheel = new TimerWheel({ driver })
  const late = []
  const order = []
  // The start of the worker is not measured.
  await new Promise((resolve) => wheel.setTimeout(resolve, 1_500))
  await new Promise((resolve) => {
    for (let i = 0; i < 100; i++) {
      const due = performance.now() + 40 * i
      wheel.schedule(() => {
        late.push(performance.now() - due)
        if (order.push(i) === 100) resolve()
      }, 40 * i)
    }
  })
  return {
    order,
    earliest: Math.min(...late),
    middle: middle(late),
    latest: Math.max(...late),
    native: middle(native.slice(-3)),
  }
}

/** Opens a page for each driver, all at the same time, because they mostly wait. */
const hidden = {}
beforeAll(async () => {
  await Promise.all(
    ['host', 'worker'].map(async (driver) => {
      hidden[driver] = await pages.run(lateness, { hidden: true, args: [driver] })
    }),
  )
})

it.each([
  // One wake-up a second; a busy machine adds some time.
  ['host', 'at the throttled wake-ups of the page', { latest: 3_000 }],
  ['worker', 'on time, woken by a worker', { middle: 50 }],
])('runs all timers of a hidden page in order, never early, and by the driver %s %s', (driver, _, limits) => {
  const { order, earliest, native, ...late } = hidden[driver]
  // Check that the page was throttled at all.
  expect(native).toBeGreaterThan(500)
  expect(order).toEqual(Array.from({ length: 100 }, (_, i) => i))
  expect(earliest).toBeGreaterThanOrEqual(-1e-6)
  for (const [which, limit] of Object.entries(limits)) expect(late[which]).toBeLessThan(limit)
})

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1_000 * seconds))

/** Seconds after which the nested timers of a hidden page wake only once a minute; 300 by default. */
const GRACE = 10

describeOn(['chromium'], 'hidden for minutes', 'no other engine holds timers back so far', () => {
  const impatient = usePages({
    args: [`--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/${GRACE}`],
  })

  /** Starts a chain of timers of 50 ms on a wheel, or on native timers, which the chain makes nested. */
  function startChain({ TimerWheel }, driver) {
    const timers = driver === 'none' ? globalThis : new TimerWheel({ driver })
    globalThis.links = 0
    const link = () => {
      globalThis.links++
      timers.setTimeout(link, 50)
    }
    link()
  }

  it('wakes each second while nested native timers wait for a minute, and by a worker at any time', async () => {
    // Each chain gets its own page, so that none wakes another. All are shown first, because Chromium counts from the hiding.
    const started = []
    for (const driver of ['none', 'host', 'worker']) {
      started.push(await impatient.start(startChain, { args: [driver] }))
    }
    await Promise.all(started.map(({ result }) => result))
    const cover = await impatient.browser.open('about:blank')
    await cover.bringToFront()
    const look = () => [document.visibilityState, globalThis.links]
    const count = () => Promise.all(started.map(({ page }) => page.evaluate(look)))
    await pause(GRACE + 5)
    const before = await count()
    await pause(12)
    const after = await count()
    await Promise.all([cover, ...started.map(({ page }) => page)].map((page) => page.close()))
    expect(after.map(([state]) => state)).toEqual(['hidden', 'hidden', 'hidden'])
    const [native, host, worker] = after.map(([, links], i) => links - before[i][1])
    // A minute may end in these seconds.
    expect(native).toBeLessThanOrEqual(1)
    expect(host).toBeGreaterThanOrEqual(9)
    expect(worker).toBeGreaterThan(100)
  })
})
