/** Timers of one build beside those of the other build and of Node. */
import { virtualClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
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
