/** Timers run in the order of the HTML standard, like native timers, with microtasks between them. */
import { describe, expect, it } from '@jest/globals'
import { usePages } from './pages.mjs'

const pages = usePages()

describe.each(['window', 'worker'])('in a %s', (context) => {
  it('runs no timer before an earlier one with the same or a shorter delay, like the engine', async () => {
    const orders = await pages.run(
      async ({ setTimeout: wheelTimeout }) => {
        const delays = Array.from({ length: 300 }, (_, i) => (i * 7919) % 40)
        const orderOf = (set) =>
          new Promise((resolve) => {
            const order = []
            delays.forEach((delay, i) => {
              set(() => order.push(i) === delays.length && resolve(order), delay)
            })
          })
        return { delays, native: await orderOf(setTimeout), wheel: await orderOf(wheelTimeout) }
      },
      { context },
    )
    const overtaken = (order) => {
      const place = new Map(order.map((timer, i) => [timer, i]))
      let count = 0
      for (let later = 0; later < orders.delays.length; later++) {
        for (let earlier = 0; earlier < later; earlier++) {
          const isPromised = orders.delays[earlier] <= orders.delays[later]
          if (isPromised && place.get(earlier) > place.get(later)) count++
        }
      }
      return count
    }
    expect({ native: overtaken(orders.native), wheel: overtaken(orders.wheel) }).toEqual({
      native: 0,
      wheel: 0,
    })
    expect([...orders.wheel].sort((a, b) => a - b)).toEqual(orders.delays.map((_, i) => i))
  })

  it('runs microtasks between two callbacks, also microtasks of microtasks', async () => {
    const noted = await pages.run(
      async ({ TimerWheel }) => {
        const wheel = new TimerWheel()
        const noted = []
        for (const name of ['a', 'b', 'c']) {
          wheel.setTimeout(() => {
            noted.push(name)
            queueMicrotask(() => {
              noted.push(`${name}: microtask`)
              queueMicrotask(() => noted.push(`${name}: another`))
            })
          }, 5)
        }
        // All are overdue and run in one slice.
        for (const end = performance.now() + 20; performance.now() < end; );
        while (wheel.pending > 0) await new Promise((resolve) => setTimeout(resolve, 5))
        return noted
      },
      { context },
    )
    expect(noted).toEqual(['a', 'b', 'c'].flatMap((name) => [name, `${name}: microtask`, `${name}: another`]))
  })

  it('runs the microtasks of a callback before any other task of the page', async () => {
    const noted = await pages.run(
      ({ TimerWheel }) =>
        new Promise((resolve) => {
          const noted = []
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = () => {
            noted.push('task')
            resolve(noted)
          }
          new TimerWheel().setTimeout(() => {
            port2.postMessage(undefined)
            queueMicrotask(() => noted.push('microtask'))
            noted.push('callback')
          }, 5)
        }),
      { context },
    )
    expect(noted).toEqual(['callback', 'microtask', 'task'])
  })
})
