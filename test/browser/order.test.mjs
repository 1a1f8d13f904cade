/** Microtasks run between two callbacks. For the order of timers see test/contract/order. */
import { expect, it } from '@jest/globals'
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
