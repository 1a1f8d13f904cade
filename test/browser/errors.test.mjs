/** Errors of callbacks reach the page's own error report, and all other callbacks run. */
import { describe, expect, it } from '@jest/globals'
import { usePages } from './pages.mjs'

const pages = usePages()

describe.each(['window', 'worker'])('in a %s', (context) => {
  it('reports errors of callbacks to onerror and runs all others in order', async () => {
    const noted = await pages.run(
      async ({ TimerWheel }) => {
        const noted = []
        globalThis.onerror = (message) => {
          noted.push(String(message).replace(/^.*?(thrown \d+).*$/, '$1'))
          return true
        }
        const wheel = new TimerWheel()
        for (let i = 0; i < 3; i++) {
          wheel.schedule(() => {
            throw new Error(`thrown ${i}`)
          }, 5)
          wheel.setTimeout(() => noted.push(`ran ${i}`), 5)
        }
        await new Promise((resolve) => wheel.setTimeout(resolve, 50))
        return noted
      },
      { context },
    )
    expect(noted).toEqual(['thrown 0', 'ran 0', 'thrown 1', 'ran 1', 'thrown 2', 'ran 2'])
  })

  it('continues after thousands of callbacks throw', async () => {
    const counts = await pages.run(
      async ({ TimerWheel }) => {
        let caught = 0
        let ran = 0
        globalThis.onerror = () => {
          caught++
          return true
        }
        const wheel = new TimerWheel()
        for (let i = 0; i < 6_000; i++) {
          wheel.schedule(() => {
            ran++
            if (i % 3 === 0) throw new Error('thrown')
          }, 5)
        }
        while (wheel.pending > 0) await new Promise((resolve) => setTimeout(resolve, 5))
        return { caught, ran }
      },
      { context },
    )
    expect(counts).toEqual({ caught: 2_000, ran: 6_000 })
  })

  it('runs an interval again after its callback throws', async () => {
    const runs = await pages.run(
      ({ setInterval, clearInterval }) =>
        new Promise((resolve) => {
          const caught = []
          let runs = 0
          const interval = setInterval(() => {
            if (++runs === 3) clearInterval(interval)
            throw new Error(`run ${runs}`)
          }, 2)
          globalThis.onerror = (message) => {
            caught.push(String(message).replace(/^.*?(run \d)$/, '$1'))
            if (caught.length === 3) resolve(caught)
            return true
          }
        }),
      { context },
    )
    expect(runs).toEqual(['run 1', 'run 2', 'run 3'])
  })

  it('reports a promise that a callback rejects to unhandledrejection', async () => {
    const noted = await pages.run(
      ({ TimerWheel }) =>
        new Promise((resolve) => {
          const noted = []
          const note = (name) => noted.push(name) === 2 && resolve(noted.sort())
          globalThis.addEventListener('unhandledrejection', (event) => {
            event.preventDefault()
            note(event.reason.message)
          })
          const wheel = new TimerWheel()
          wheel.setTimeout(async () => {
            throw new Error('rejected')
          }, 5)
          wheel.setTimeout(() => note('the other ran'), 5)
        }),
      { context },
    )
    expect(noted).toEqual(['rejected', 'the other ran'])
  })
})
