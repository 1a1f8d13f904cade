/** No timer is early on a clock that a browser rounds, or that goes back. The simulated page's own timers keep the true time. */
import { ignore } from '../../contract/backends.js'
import { randomFrom } from '../../contract/random.js'
import { SimulatedPage } from '../simulated-page.js'

const TIMERS = 300
/** The length of a tick of the wheel. */
const TICK = 4

/**
 * Sets timers of random delays, one after the other. Returns the true milliseconds by which each was late. All times are multiples of
 * 1/8 ms, so that their sums are exact.
 */
async function latenesses(page: SimulatedPage, onEach = (_n: number): void => {}): Promise<number[]> {
  const random = randomFrom(1)
  const below = (limit: number): number => Math.floor(random() * limit * 8) / 8
  const late: number[] = []
  const note = (due: number): unknown => late.push(page.time - due)
  const wheel = new page.api.TimerWheel({ tick: TICK })
  const map = new page.api.TimeoutMap<number, number>({ wheel, onExpire: note })
  // Two readings of the clock tell its step.
  await page.run(37.5)
  for (let n = 0; n < TIMERS; n++) {
    const delay = 1 + Math.floor(below(300))
    const due = page.time + delay
    if (n % 3 === 0) page.api.setTimeout(note, delay, due)
    else if (n % 3 === 1) wheel.schedule(note, delay, due)
    else map.set(n, due, delay)
    onEach(n)
    await page.run(below(40))
    // A read ends the entries that have expired.
    map.get(-1)
  }
  await page.run(3000)
  expect(late.length).toBe(TIMERS)
  return late
}

describe.each([
  ['', false],
  [', each at a random time', true],
])('on a clock that moves in steps%s,', (_, jitters) => {
  it.each([0.125, 1, 16.667, 20, 100])('runs none early, and none after six steps of %d ms', async (step) => {
    const late = await latenesses(new SimulatedPage({ step, jitters }))
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
    // Two steps that a delay waits longer, two by which the clock is behind at a wake-up, and two for another wake-up of a map.
    // Then the ends of a tick and of a millisecond.
    expect(Math.max(...late)).toBeLessThanOrEqual(6 * step + TICK + 1)
  })
})

it('neither runs timers early nor holds them up if the clock is set back by an hour', async () => {
  const page = new SimulatedPage()
  const late = await latenesses(page, (n) => {
    if (n === TIMERS / 2) page.back = 3_600_000
  })
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
  // What has passed since the last reading of the clock is lost.
  expect(Math.max(...late)).toBeLessThanOrEqual(40 + TICK + 1)
})

it('runs no timer early once the clock has gone back and forth, and none late by more than that twice', async () => {
  const page = new SimulatedPage()
  for (page.back of [0, 60]) page.api.clearTimeout(page.api.setTimeout(ignore, 1))
  const late = await latenesses(page, (n) => {
    page.back = n % 2 === 0 ? 60 : 0
  })
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...late)).toBeLessThanOrEqual(2 * 60 + 40 + TICK + 1)
})
