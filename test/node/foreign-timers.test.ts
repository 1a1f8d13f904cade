/** Node's own timers beside the package, and timers of one build beside the other build. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

describe.each(ENTRIES)('%s', (entry) => {
  it.each(['clearTimeout', 'clearInterval'])(
    "clears Node's timers by handle and by number: %s",
    async (clear) => {
      const outcome = await run(`
      import { ${clear} as clear, TimerWheel } from '${entry}'
      const late = (what) => console.log('ran:', what)
      clear(setTimeout(late, 20, 'timeout'))
      clear(setInterval(late, 20, 'interval'))
      clear(+setTimeout(late, 20, 'timeout by number'))
      clear(String(+setInterval(late, 20, 'interval by numeric string')))
      new TimerWheel().${clear}(setTimeout(late, 20, 'timeout, by a wheel'))
      setTimeout(late, 60, 'last')
    `)
      expect(outcome).toEqual({ ...CLEAN, lines: ['ran: last'] })
    },
  )

  it("gives no handle the number of one of Node's timers", async () => {
    const outcome = await run(`
      import * as ours from '${entry}'
      const plain = new ours.TimerWheel({ asyncContext: false })
      const timers = Array.from({ length: 300 }, (_, i) => [ours, globalThis, plain][i % 3].setTimeout(() => {}, 5))
      console.log(new Set(timers.map(Number)).size)
      // The same if the numbers are read in another order.
      const later = Array.from({ length: 300 }, (_, i) => [globalThis, plain, ours][i % 3].setTimeout(() => {}, 5))
      console.log(new Set([...timers, ...later].reverse().map(Number)).size)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['300', '600'] })
  })
})

describe('an import between two native timers', () => {
  // After an exception Node runs the next timer of the same delay before queued work. A timer in between reverses this order,
  // even if it has no callback.
  const program = (load: string): string => `
    import { createRequire } from 'node:module'
    const require = createRequire(process.cwd() + '/')
    process.on('uncaughtException', () => {})
    setTimeout(() => {
      Promise.resolve().then(() => console.log('queued work'))
      throw new Error('expected')
    }, 1)
    ${load}
    setTimeout(() => console.log('second timer'), 1)
  `

  it.each(ENTRIES)('leaves the order of the work around them: %s', async (entry) => {
    const expected = { ...CLEAN, lines: ['second timer', 'queued work'] }
    expect(await run(program(''), [], virtualClock())).toEqual(expected)
    expect(await run(program(`require('${entry}')`), [], virtualClock())).toEqual(expected)
  })
})

it('clears timers of either build by handle and number, through either build', async () => {
  const outcome = await run(`
    import * as native from 'timeout-wheel/native'
    import * as wasm from 'timeout-wheel/wasm'
    native.clearTimeout(wasm.setTimeout(() => console.log('wasm'), 10))
    wasm.clearTimeout(native.setTimeout(() => console.log('native'), 10))
    wasm.clearTimeout(+native.setTimeout(() => console.log('native by number'), 10))
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: [] })
})
