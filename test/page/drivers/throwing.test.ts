/** No timer is lost in environments whose functions exist and throw, such as edge routes of Next.js. */
import { describe, expect, it } from '@jest/globals'
import { SimulatedPage } from '../simulated-page.js'

const EDGE = { without: ['document', 'requestAnimationFrame'], throwing: ['MessageChannel'] }

describe('a page whose MessageChannel throws', () => {
  it.each([1, 2, 4, 20])('runs a timer of %d ms in time', async (delay) => {
    const page = new SimulatedPage(EDGE)
    const ran: number[] = []
    page.api.setTimeout(() => ran.push(page.time), delay)
    await page.run(100)
    expect(ran).toHaveLength(1)
    expect(ran[0]).toBeGreaterThanOrEqual(1000 + delay)
    expect(ran[0]).toBeLessThanOrEqual(1000 + delay + 1)
    expect(page.errors).toEqual([])
  })

  it('sets a single native timer for a short delay, once the constructor has thrown', async () => {
    const page = new SimulatedPage(EDGE)
    page.api.setTimeout(() => {}, 1)
    await page.run(10)
    const before = page.timers.length
    page.api.setTimeout(() => {}, 2)
    await page.run(10)
    expect(page.timers.slice(before).map(({ delay }) => delay)).toEqual([2])
  })

  it('runs a burst in order, in slices, and later timers as well', async () => {
    const page = new SimulatedPage(EDGE)
    const ran: number[] = []
    for (let n = 0; n < 50; n++) {
      page.api.setTimeout(() => {
        ran.push(n)
        page.time += 1
      }, 5)
    }
    await page.run(15)
    expect(ran.length).toBeLessThan(50)
    await page.run(500)
    page.api.setTimeout(() => ran.push(50), 1)
    await page.run(10)
    expect(ran).toEqual(Array.from({ length: 51 }, (_, n) => n))
    expect(page.refusals).toBeGreaterThan(0)
  })

  it('runs an interval until it is cleared', async () => {
    const page = new SimulatedPage(EDGE)
    let count = 0
    const interval = page.api.setInterval(() => {
      if (++count === 5) page.api.clearInterval(interval)
    }, 2)
    await page.run(200)
    expect(count).toBe(5)
    expect(page.awaited).toBe(0)
  })

  it('runs the timers after a callback that throws', async () => {
    const page = new SimulatedPage(EDGE)
    const ran: number[] = []
    for (let n = 0; n < 3; n++) {
      page.api.setTimeout(() => {
        ran.push(n)
        throw n
      }, 5)
    }
    await page.run(100)
    expect(ran).toEqual([0, 1, 2])
    expect(page.errors).toEqual([0, 1, 2])
  })
})

it('runs the timers of a page whose requestAnimationFrame throws', async () => {
  const page = new SimulatedPage({ throwing: ['requestAnimationFrame'] })
  const wheel = new page.api.TimerWheel({ driver: 'animation-frame' })
  const ran: number[] = []
  for (let n = 0; n < 3; n++) wheel.schedule(() => ran.push(n), 10)
  await page.run(20)
  expect(ran).toEqual([0, 1, 2])
  expect(page.errors).toEqual([])
})

it.each([
  ['Worker', 'run'],
  ['Blob', 'run'],
] as const)('runs the timers of a page whose %s throws', async (name, workers) => {
  const page = new SimulatedPage({ workers, throwing: [name] })
  const wheel = new page.api.TimerWheel({ driver: 'worker' })
  const ran: string[] = []
  wheel.schedule(() => ran.push('ran'), 10)
  await page.run(20)
  expect(ran).toEqual(['ran'])
  wheel.stop()
  expect(page.workers).toBe(0)
})

it('runs the timers of a page without addresses for objects', async () => {
  const page = new SimulatedPage({ workers: 'run', throwing: ['URL'] })
  const wheel = new page.api.TimerWheel({ driver: 'worker' })
  const ran: string[] = []
  wheel.schedule(() => ran.push('first'), 10)
  await page.run(20)
  wheel.schedule(() => ran.push('second'), 10)
  await page.run(20)
  expect(ran).toEqual(['first', 'second'])
  expect(page.workers).toBe(1)
  wheel.stop()
})
