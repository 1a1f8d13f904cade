/** The driver 'animation-frame' in a page. */
import { describe, expect, it } from '@jest/globals'
import { SimulatedPage } from '../simulated-page.js'

describe('a wheel driven by animation frames', () => {
  it('runs what is due when a frame begins, all of it in one', async () => {
    const page = new SimulatedPage()
    const wheel = new page.api.TimerWheel({ driver: 'animation-frame' })
    const ran: { frame: number; time: number }[] = []
    for (let i = 0; i < 1000; i++) {
      wheel.schedule(() => ran.push({ frame: page.frames, time: page.time }), 3)
    }
    await page.run(100)
    expect(ran.length).toBe(1000)
    expect(new Set(ran.map(({ frame }) => frame))).toEqual(new Set([1]))
    expect(ran[0]!.time % 16).toBe(0)
  })

  it('asks for no frame while nothing is due', async () => {
    const page = new SimulatedPage()
    const wheel = new page.api.TimerWheel({ driver: 'animation-frame' })
    wheel.schedule(() => {}, 5000)
    await page.run(4990)
    expect(page.frames).toBe(0)
    await page.run(100)
    expect(page.frames).toBe(1)
  })

  it('leaves to the next frame what the budget does not allow', async () => {
    const page = new SimulatedPage()
    const wheel = new page.api.TimerWheel({ driver: 'animation-frame', budget: 4 })
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

  it('reports what callbacks throw, and runs the others in the frames that follow', async () => {
    const page = new SimulatedPage()
    const wheel = new page.api.TimerWheel({ driver: 'animation-frame' })
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

  it('is driven as by its page while that is hidden', async () => {
    const page = new SimulatedPage()
    page.hidden = true
    const wheel = new page.api.TimerWheel({ driver: 'animation-frame' })
    let ran = 0
    for (let i = 0; i < 10; i++) wheel.schedule(() => ran++, 300)
    // To the next full second, when a hidden page runs its timers.
    await page.run(1500)
    expect([ran, page.frames]).toEqual([10, 0])
  })

  it('does not wait for a frame that never comes, as the page is hidden after it was asked for', async () => {
    const page = new SimulatedPage()
    const wheel = new page.api.TimerWheel({ driver: 'animation-frame' })
    let ran = 0
    wheel.schedule(() => ran++, 10)
    await page.run(10)
    page.hidden = true
    await page.run(2000)
    expect(ran).toBe(1)
  })

  it('is driven as by its page where there are no frames', async () => {
    const page = new SimulatedPage({ without: ['requestAnimationFrame'] })
    const wheel = new page.api.TimerWheel({ driver: 'animation-frame' })
    let ran = 0
    wheel.schedule(() => ran++, 10)
    await page.run(20)
    expect(ran).toBe(1)
  })
})
