/** A page whose clock moves in steps, as a setting of Firefox for privacy makes it. test/page/drivers/coarse-clock.test.ts has more. */
import { expect, it } from '@jest/globals'
import { ISOLATED } from '../../.tooling/browsers/server.mjs'
import { usePages } from './pages.mjs'

const pages = usePages()

it('runs no timer early on a clock with steps of 100 ms', async () => {
  const late = await pages.run(
    async ({ setTimeout: set, TimerWheel }) => {
      const { exact } = globalThis
      const wheel = new TimerWheel()
      const late = []
      await new Promise((resolve) => {
        for (let n = 0; n < 60; n++) {
          setTimeout(() => {
            const delay = 10 + 5 * n
            const due = exact() + delay
            const note = () => late.push(exact() - due) === 60 && resolve()
            if (n % 2) set(note, delay)
            else wheel.schedule(note, delay)
          }, 13 * n)
        }
      })
      wheel.stop()
      return late
    },
    {
      headers: ISOLATED,
      before: `
        globalThis.exact = performance.now.bind(performance)
        performance.now = () => Math.floor(exact() / 100) * 100
      `,
    },
  )
  // The exact clock moves in steps of 5 us (Chromium) or 20 us.
  expect(Math.min(...late)).toBeGreaterThanOrEqual(-0.02)
})
