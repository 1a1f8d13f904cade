/** The driver 'host' in a page. */
import { describe, expect, it } from '@jest/globals'
import { pageWithWheel, SimulatedPage } from '../simulated-page.js'

describe("a wheel with the driver 'host'", () => {
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

  it('never nests its native timers, however often they set the next one', async () => {
    const { page, wheel } = pageWithWheel()
    let ran = 0
    const again = (): void => {
      if (++ran < 20) wheel.schedule(again, 1)
    }
    wheel.schedule(again, 1)
    const started = page.time
    await page.run(1000)
    expect(ran).toBe(20)
    expect(new Set(page.timers.map(({ nesting }) => nesting))).toEqual(new Set([1]))
    expect(page.time - started).toBe(1000)
  })

  it.each([
    ['a delay that the page would lengthen', 3, false],
    ['a hidden page', 500, true],
  ])('sets an unnested native timer from a deeply nested callback, for %s', async (_, delay, hidden) => {
    const page = new SimulatedPage()
    page.hidden = hidden
    const wheel = new page.api.TimerWheel()
    await page.inNestedTimer(9, () => wheel.schedule(() => {}, delay))
    await page.run(1)
    expect(page.timers.map(({ nesting }) => nesting)).toEqual([1])
  })

  it('sets a native timer at once for a delay that the page does not lengthen', async () => {
    const { page, wheel } = pageWithWheel()
    await page.inNestedTimer(9, () => wheel.schedule(() => {}, 10))
    expect([page.timers.length, page.timers[0]!.delay, page.messages]).toEqual([1, 10, 0])
  })

  it('posts one message per wake-up, which also sets the next native timer', async () => {
    const { page, wheel } = pageWithWheel()
    let ran = 0
    for (let i = 0; i < 50; i++) {
      wheel.schedule(
        () => {
          ran++
          if (i % 5 === 4) throw new Error('thrown')
        },
        10 * Math.ceil((i + 1) / 5),
      )
    }
    await page.run(1000)
    expect([ran, page.errors.length, page.timers.length, page.messages]).toEqual([50, 10, 10, 10])
    expect(new Set(page.timers.map(({ nesting }) => nesting))).toEqual(new Set([1]))
  })

  it('runs once a second in a hidden page, never once a minute', async () => {
    const page = new SimulatedPage()
    page.hidden = true
    const wheel = new page.api.TimerWheel()
    const ranAt: number[] = []
    wheel.setInterval(() => ranAt.push(page.time), 100)
    await page.run(10_000)
    expect(ranAt.length).toBeGreaterThanOrEqual(9)
  })

  it('counts the delay of an interval from the start of its callback, and runs it at least a tick after the end', async () => {
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
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(1)
    expect(Math.max(...pauses.slice(1))).toBeLessThan(10)
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

  it('sets no native timer and keeps no listener while nothing is pending', async () => {
    const { page, wheel } = pageWithWheel()
    wheel.cancel(wheel.schedule(() => {}, 10))
    await page.run(100)
    const before = page.messages
    await page.happen('visibilitychange')
    await page.run(100)
    expect(page.messages).toBe(before)
  })

  it('keeps no native timer and no listener once it is stopped', async () => {
    const { page, wheel } = pageWithWheel()
    wheel.schedule(() => {}, 50)
    await page.run(10)
    expect(page.awaited).toBe(1)
    wheel.stop()
    await page.happen('visibilitychange')
    expect(page.awaited).toBe(0)
  })

  it('slices a burst into tasks of at most the budget', async () => {
    const { page, wheel } = pageWithWheel({ budget: 5 })
    const ranAt: number[] = []
    for (let i = 0; i < 20; i++) {
      wheel.schedule(() => {
        ranAt.push(page.messages)
        page.time += 1
      }, 10)
    }
    await page.run(60)
    const perTask = [...new Set(ranAt)].map((task) => ranAt.filter((at) => at === task).length)
    // The first one runs in the task of the native timer.
    expect(perTask).toEqual([1, 5, 5, 5, 4])
    expect(page.timers.length).toBe(1)
  })

  it('keeps to the budget of configure() from the next callback on', async () => {
    const page = new SimulatedPage()
    let ranAt: number[] = []
    let onEighth = (): void => page.api.configure({ budget: 10 })
    const setAll = (): void => {
      for (let i = 0; i < 20; i++) {
        page.api.setTimeout(() => {
          ranAt.push(page.messages)
          page.time += 1
          if (ranAt.length === 8) onEighth()
        }, 10)
      }
    }
    const perTask = (): number[] =>
      [...new Set(ranAt)].map((task) => ranAt.filter((at) => at === task).length)
    page.api.configure({ budget: 2 })
    setAll()
    await page.run(60)
    expect(perTask()).toEqual([1, 2, 2, 2, 10, 3])
    ranAt = []
    onEighth = () => {}
    page.api.configure({ budget: Number.POSITIVE_INFINITY })
    setAll()
    await page.run(60)
    expect(perTask()).toEqual([1, 19])
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
    let ran = 0
    for (let i = 0; i < 10; i++) {
      wheel.schedule(() => {
        if (++ran === 3) wheel.stop()
      }, 10)
    }
    await page.run(100)
    expect(ran).toBe(3)
  })
})
