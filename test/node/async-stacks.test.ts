/** The stack of an error that is thrown after a timer shows the program's callers, as with Node's timers. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { ENTRIES, PROMISES } from './backends.js'
import { run } from './child.js'
import { eachLikeNativeInOne } from './like-native.js'
import { programsOf } from './one-process.js'

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

const preludeOf = (entry: string): string => `
  import * as timers from '${entry}'
  const entry = '${entry}'
  ${PROMISES}
  const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }`
const MANY_DUE = 'for (let i = 0; i < 3; i++) timers.setTimeout(() => {}, 5); busyWait(20)'
const UNCAUGHT = programsOf(`
  # a callback, beside others
  timers.setTimeout(() => { throw new Error('thrown') }, 5); ${MANY_DUE}
  # a callback, an error of the engine
  timers.setTimeout(() => { null.property }, 5); ${MANY_DUE}
  # a next tick of a callback
  timers.setTimeout(() => process.nextTick(() => { throw new Error('thrown') }), 5)
  # a microtask of a callback
  timers.setTimeout(() => queueMicrotask(() => { throw new Error('thrown') }), 5); ${MANY_DUE}
  # an async function
  const wait = async () => { await promises.setTimeout(5); throw new Error('thrown') }
  wait(); ${MANY_DUE}`)

it.each(UNCAUGHT)('shows the line of the program first for an uncaught error of %s', async (_title, use) => {
  const headOn = async (entry: string): Promise<string[]> => {
    const { code, stderr } = await run(preludeOf(entry) + use, [], virtualClock())
    expect(code).toBe(1)
    // Without the third line, whose mark stands below the place of the throw natively, and below that of `new Error` with the addon.
    return stderr.split('\n').slice(0, 2)
  }
  const [native, ...ours] = await Promise.all(['node:timers', ...ENTRIES].map(headOn))
  expect(native![0]).toMatch(/eval|^$/)
  expect(ours).toEqual(ENTRIES.map(() => native))
})
