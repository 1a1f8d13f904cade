/** The driver 'animation-frame' runs due timers at the start of a frame. */
import { expect, it } from '@jest/globals'
import { usePages } from './pages.mjs'

const pages = usePages()

/** Counts how many of 300 callbacks ran in the same task as the page's own frames. */
async function inFrames({ TimerWheel, turns, emptied }, driver) {
  let task = 0
  let isOver = false
  turns(() => {
    task++
    return isOver
  })
  const frames = new Set()
  const frame = () => {
    frames.add(task)
    if (!isOver) requestAnimationFrame(frame)
  }
  requestAnimationFrame(frame)
  const wheel = new TimerWheel({ driver })
  const ran = []
  for (let i = 0; i < 300; i++) wheel.schedule(() => ran.push(task), 100 + 3 * i)
  await emptied(wheel)
  await new Promise((resolve) => requestAnimationFrame(resolve))
  isOver = true
  return { inside: ran.filter((one) => frames.has(one)).length, all: ran.length }
}

it('runs callbacks at the start of frames', async () => {
  const { inside, all } = await pages.run(inFrames, { args: ['animation-frame'] })
  expect(all).toBe(300)
  // The driver does not wait for a very late frame, and the machine may be busy. So a few may run outside.
  expect(inside).toBeGreaterThan(270)
  const host = await pages.run(inFrames, { args: ['host'] })
  expect(host.inside).toBeLessThan(150)
})
