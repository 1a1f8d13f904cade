/** Errors of callbacks reach the page's own error report, and all other callbacks run: see also test/page/drivers/throwing. */
import { expect, it } from '@jest/globals'
import { usePages } from './pages.mjs'

const pages = usePages()

it.each(['window', 'worker'])(
  'reports the errors of thousands of callbacks and a rejected promise, and runs all others, in order: in a %s',
  async (context) => {
    const { noted, rejected } = await pages.run(
      async ({ TimerWheel, emptied, turns }) => {
        const [noted, rejected] = [[], []]
        globalThis.onerror = (message) => {
          noted.push(String(message).replace(/^.*?(thrown \d+).*$/, '$1'))
          return true
        }
        globalThis.addEventListener('unhandledrejection', (event) => {
          event.preventDefault()
          rejected.push(event.reason.message)
        })
        const wheel = new TimerWheel()
        for (let i = 0; i < 2_000; i++) {
          wheel.schedule(() => {
            throw new Error(`thrown ${i}`)
          }, 5)
          wheel.setTimeout(() => noted.push(`ran ${i}`), 5)
        }
        wheel.setTimeout(() => Promise.reject(new Error('rejected')), 5)
        await emptied(wheel)
        await turns(() => rejected.length > 0)
        return { noted, rejected }
      },
      { context },
    )
    expect(noted).toEqual(Array.from({ length: 2_000 }, (_, i) => [`thrown ${i}`, `ran ${i}`]).flat())
    expect(rejected).toEqual(['rejected'])
  },
)
