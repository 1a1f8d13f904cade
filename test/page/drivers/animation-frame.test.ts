/** The driver 'animation-frame' in a page. */
import { describe, expect, it } from '@jest/globals'
import { pageWithWheel, SimulatedPage } from '../simulated-page.js'

describe('a wheel driven by animation frames', () => {
  it('runs all timers that are due when a frame begins, in that frame', async () => {
    const { page, wheel } = pageWithWheel({ driver: 'animation-frame' })
    const ran: { frame: number; time: number }[] = []
    for (let i = 0; i < 1000; i++) {
      wheel.schedule(() => ran.push({ frame: page.frames, time: page.time }), 3)
    }
    await page.run(100)
    expect(ran.length).toBe(1000)
    expect(new Set(ran.map(({ frame }) => frame))).toEqual(new Set([1]))
    expect(ran[0]!.time % 16).toBe(0)
  })

  it('requests no frame while no timer is due', async () => {
    const { page, wheel } = pageWithWheel({ driver: 'animation-frame' })
    wheel.schedule(() => {}, 5000)
    await page.run(4990)
    expect(page.frames).toBe(0)
    await page.run(100)
    expect(page.frames).toBe(1)
  })

  it('leaves timers beyond the budget to the next frame', async () => {
    const { page, wheel } = pageWithWheel({ driver: 'animation-frame', budget: 4 })
    const frames: number[] = []
    for (let i = 0; i < 10; i++) {
      wheel.schedule(() => {
        frames.push(page.frames)
        page.time += 1
      }, 3)
    }
    await page.run(100)
    expect(frames).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3])
  })

  it('reports the errors of callbacks, and runs the others in the following frames', async () => {
    const { page, wheel } = pageWithWheel({ driver: 'animation-frame' })
    const ran: number[] = []
    for (let i = 0; i < 5; i++) {
      wheel.schedule(() => {
        ran.push(i)
        if (i === 1) throw new Error('thrown')
      }, 3)
    }
    await page.run(100)
    expect([ran, page.errors.length]).toEqual([[0, 1, 2, 3, 4], 1])
  })

  it('runs like the driver host while the page is hidden', async () => {
    const page = new SimulatedPage()
    page.hidden = true
    const wheel = new page.api.TimerWheel({ driver: 'animation-frame' })
    let ran = 0
    for (let i = 0; i < 10; i++) wheel.schedule(() => ran++, 300)
    // A hidden page runs its timers at the next full second.
    await page.run(1500)
    expect([ran, page.frames]).toEqual([10, 0])
  })

  it('does not wait for a frame that never comes because the page was hidden after the request', async () => {
    const { page, wheel } = pageWithWheel({ driver: 'animation-frame' })
    let ran = 0
    wheel.schedule(() => ran++, 10)
    await page.run(10)
    page.hidden = true
    await page.run(2000)
    expect(ran).toBe(1)
  })
})
