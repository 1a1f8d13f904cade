/** The stack of an error that is thrown after a timer shows the program's callers, as with Node's timers. */
import { PROMISES } from './backends.js'
import { eachLikeNativeInOne } from './like-native.js'

describe('a stack', () => {
  eachLikeNativeInOne(
    `
    # shows the nested async functions above each way to wait
    const { signal } = new AbortController()
    const sleeps = [
      (ms) => new Promise((resolve) => { timers.setTimeout(resolve, ms) }),
      (ms) => promises.setTimeout(ms),
      (ms) => promises.setTimeout(ms, undefined, { signal }),
      (ms) => promises.scheduler.wait(ms),
      promisify(timers.setTimeout),
      async (ms) => { for await (const _ of promises.setInterval(ms)) return },
    ]
    for (const sleep of sleeps) for (const depth of [1, 2, 3, 12]) await chain(sleep, depth)
    # shows them if other timers that were due were cleared or refreshed
    const others = Array.from({ length: 4 }, () => timers.setTimeout(() => {}, 20))
    await new Promise((resolve) => void timers.setTimeout(resolve, 10))
    const asleep = chain(() => promises.setTimeout(10), 3)
    others[0].refresh()
    others[1].close()
    others[2].refresh().close()
    others[3].refresh()
    await asleep
    # shows the frames of a callback
    const deep = (n) => { if (n === 0) throw new Error('thrown'); deep(n - 1) }
    const fail = (n) => { try { deep(n) } catch (error) { log(framesOf(error, '[eval')) } }
    for (const [depth, delay] of [[0, 5], [3, 15], [12, 25]]) timers.setTimeout(() => fail(depth), delay)`,
    `
    import { promisify } from 'node:util'
    ${PROMISES}
    // Without frames of Node: Node 20 shows some that later lines do not.
    const framesOf = ({ stack }, text) => stack.split('\\n').slice(1).filter((frame) => frame.includes(text))
    /** Shows the frames of an error below so many nested async functions, and those of the package. */
    const chain = (sleep, depth) => {
      async function innermost() { await sleep(1); throw new Error('thrown') }
      const nest = (inner) => async function outer() { await inner() }
      let outermost = innermost
      while (--depth > 0) outermost = nest(outermost)
      const show = (error) => log(framesOf(error, '[eval'), framesOf(error, '/dist/'))
      return (async () => { try { await outermost() } catch (error) { show(error) } })()
    }
`,
  )
})
