/** Microtasks run between two callbacks, and errors of callbacks reach the page's own report. For the order of timers see test/contract/order. */
import { usePages } from './pages.mjs'

const pages = usePages()

it.each(['window', 'worker'])(
  'runs the microtasks of a callback, and their microtasks, before the next callback and any other task: in a %s',
  async (context) => {
    const noted = await pages.run(
      async ({ TimerWheel, turns }) => {
        const wheel = new TimerWheel()
        const noted = []
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => noted.push('task')
        for (const name of ['a', 'b', 'c']) {
          wheel.setTimeout(() => {
            if (name === 'a') port2.postMessage(undefined)
            noted.push(name)
            queueMicrotask(() => {
              noted.push(`${name}: microtask`)
              queueMicrotask(() => noted.push(`${name}: another`))
            })
          }, 5)
        }
        // All are overdue and run in one slice.
        for (const end = performance.now() + 20; performance.now() < end; );
        await turns(() => noted.length === 10)
        return noted
      },
      { context },
    )
    expect(noted.filter((name) => name !== 'task')).toEqual(
      ['a', 'b', 'c'].flatMap((name) => [name, `${name}: microtask`, `${name}: another`]),
    )
    expect(noted.indexOf('task')).toBeGreaterThan(2)
  },
)

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
