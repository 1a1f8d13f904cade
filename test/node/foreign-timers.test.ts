/** Node's own timers beside the package, and timers of one build beside the other build. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { runNode } from './child.js'
import { printsInOneProcess } from './prints.js'

describe.each(ENTRIES)('%s', (entry) => {
  printsInOneProcess({
    prelude: `
      import * as ours from '${entry}'
      import * as other from '${ENTRIES.find((other) => other !== entry)}'
      const { TimerWheel } = ours
      const late = (what) => console.log('ran:', what)`,
    env: virtualClock(),
  })(`
    # clears timers of the other build by handle and number
    ours.clearTimeout(other.setTimeout(late, 10, 'the other'))
    ours.clearTimeout(+other.setTimeout(late, 10, 'the other by number'))
    # gives no handle the number of one of Node's timers
    const plain = new TimerWheel({ asyncContext: false })
    const timers = Array.from({ length: 300 }, (_, i) => [ours, globalThis, plain][i % 3].setTimeout(() => {}, 5))
    if (new Set(timers.map(Number)).size !== 300) late('equal numbers')
    // The same if the numbers are read in another order.
    const later = Array.from({ length: 300 }, (_, i) => [globalThis, plain, ours][i % 3].setTimeout(() => {}, 5))
    if (new Set([...timers, ...later].reverse().map(Number)).size !== 600) late('equal numbers')`)
})

// After an exception Node runs the next timer of the same delay before queued work. A timer in between reverses this order, even if it
// has no callback.
it.each(['', ...ENTRIES])('leaves the order of work around an import: %s', async (entry) => {
  const program = `
    process.on('uncaughtException', () => {})
    setTimeout(() => {
      Promise.resolve().then(() => console.log('queued work'))
      throw new Error('expected')
    }, 1)
    if ('${entry}' !== '') require('${entry}')
    setTimeout(() => console.log('second timer'), 1)`
  const outcome = await runNode(['--eval', program], virtualClock())
  expect(outcome).toEqual({ ...CLEAN, lines: ['second timer', 'queued work'] })
})
