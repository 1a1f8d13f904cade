/** Many wheels on one page. */
import { expect, it } from '@jest/globals'
import { usePages } from './pages.mjs'

const pages = usePages()

it('serves 50 wheels at once, each with its own ticks', async () => {
  const ran = await pages.run(async ({ TimerWheel }) => {
    const wheels = Array.from({ length: 50 }, (_, i) => new TimerWheel({ tick: i + 1 }))
    let ran = 0
    await new Promise((resolve) => {
      for (const wheel of wheels) {
        for (let i = 0; i < 10; i++) wheel.schedule(() => ++ran === 500 && resolve(), i * 10)
      }
    })
    return ran
  })
  expect(ran).toBe(500)
})
