/** Between the slices of a burst, a page paints. */
import { usePages } from './pages.mjs'

const pages = usePages()

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
