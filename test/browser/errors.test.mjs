/** Errors of callbacks reach the page's own error report, and all other callbacks run: see also test/page/drivers/throwing. */
import { describe, expect, it } from '@jest/globals'
import { usePages } from './pages.mjs'

const pages = usePages()

describe.each(['window', 'worker'])('in a %s', (context) => {
  it('reports the errors of thousands of callbacks to onerror, and runs all others, in order', async () => {
    const noted = await pages.run(
      async ({ TimerWheel, emptied }) => {
        const noted = []
        globalThis.onerror = (message) => {
          noted.push(String(message).replace(/^.*?(thrown \d+).*$/, '$1'))
          return true
        }
        const wheel = new TimerWheel()
        for (let i = 0; i < 2_000; i++) {
          wheel.schedule(() => {
            throw new Error(`thrown ${i}`)
          }, 5)
          wheel.setTimeout(() => noted.push(`ran ${i}`), 5)
        }
        await emptied(wheel)
        return noted
      },
      { context },
    )
    expect(noted).toEqual(Array.from({ length: 2_000 }, (_, i) => [`thrown ${i}`, `ran ${i}`]).flat())
  })

  it('reports a promise that a callback rejects to unhandledrejection', async () => {
    const noted = await pages.run(
      async ({ TimerWheel, turns }) => {
        const noted = []
        globalThis.addEventListener('unhandledrejection', (event) => {
          event.preventDefault()
          noted.push(event.reason.message)
        })
        const wheel = new TimerWheel()
        wheel.setTimeout(() => Promise.reject(new Error('rejected')), 5)
        wheel.setTimeout(() => noted.push('the other ran'), 5)
        await turns(() => noted.length === 2)
        return noted.sort()
      },
      { context },
    )
    expect(noted).toEqual(['rejected', 'the other ran'])
  })
})
