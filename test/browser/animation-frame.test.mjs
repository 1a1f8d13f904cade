/** The driver 'animation-frame' runs due timers at the start of a frame, and the driver 'host' between frames. */
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

it('leaves a window time to paint between the slices of a burst', async () => {
  const frames = await pages.run(async ({ TimerWheel, emptied }) => {
    const wheel = new TimerWheel()
    let [ran, frames] = [0, 0]
    const run = () => {
      ran++
      for (let spin = 0; spin < 400; spin++) Math.sqrt(spin)
    }
    for (let i = 0; i < 100_000; i++) wheel.schedule(run, 300)
    const frame = () => {
      if (ran > 0 && wheel.pending > 0) frames++
      if (wheel.pending > 0) requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
    await emptied(wheel)
    return frames
  })
  expect(frames).toBeGreaterThan(0)
})
