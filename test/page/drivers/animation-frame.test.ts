/** The driver 'animation-frame' in a page. */
import { expect, it } from '@jest/globals'
import { pageWithWheel, setBurst } from '../simulated-page.js'

const driver = 'animation-frame'

it('requests no frame until a timer is due, and runs all that are due when it begins in that frame', async () => {
  const { page, wheel } = pageWithWheel({ driver })
  const ran: { frame: number; time: number }[] = []
  for (let i = 0; i < 1000; i++) {
    wheel.schedule(() => ran.push({ frame: page.frames, time: page.time }), 5000)
  }
  await page.run(4990)
  expect(page.frames).toBe(0)
  await page.run(100)
  expect([ran.length, page.frames]).toEqual([1000, 1])
  expect(new Set(ran.map(({ frame }) => frame))).toEqual(new Set([1]))
  expect(ran[0]!.time % 16).toBe(0)
})

it('leaves timers beyond the budget or after an error to the next frame, and reports the error', async () => {
  const { page, wheel } = pageWithWheel({ driver, budget: 4 })
  const frames: number[] = []
  const ran = setBurst(page, wheel, 10, (n) => {
    frames.push(page.frames)
    if (n === 1) throw new Error('thrown')
  })
  await page.run(100)
  expect(frames).toEqual([1, 1, 2, 2, 2, 2, 3, 3, 3, 3])
  expect([ran, page.errors.length]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 1])
})

it('does not wait for a frame of a page that is hidden, or that was hidden after the request', async () => {
  const { page, wheel } = pageWithWheel({ driver }, { hidden: true })
  let ran = 0
  for (let i = 0; i < 10; i++) wheel.schedule(() => ran++, 300)
  // A hidden page runs its timers at the next full second.
  await page.run(1500)
  expect([ran, page.frames]).toEqual([10, 0])
  page.hidden = false
  wheel.schedule(() => ran++, 10)
  await page.run(10)
  expect(ran).toBe(10)
  page.hidden = true
  await page.run(2000)
  expect([ran, page.frames]).toEqual([11, 0])
})
