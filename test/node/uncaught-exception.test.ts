/**
 * An error that a callback throws leaves the process as with Node's timers, and every other due timer still runs. The callbacks of
 * contract/model throw from `advance()`. test/differential has errors of intervals, of queued work, and errors that nothing catches.
 */
import { describe } from '@jest/globals'
import { fineClock } from '../differential/clock.js'
import { ENTRIES } from './backends.js'
import { printsInOneProcess } from './prints.js'

describe.each(ENTRIES)('%s', (entry) => {
  const it = printsInOneProcess({
    prelude: `
      import { clearTimeout, setTimeout, TimerWheel } from '${entry}'
      const fail = () => { throw new Error('thrown') }
      // Longer than the budget, so a slice ends after it.
      const work = () => { for (const end = performance.now() + 20; performance.now() < end;); }`,
    env: fineClock(),
  })

  it(`
    # reports the errors of thousands of callbacks, and runs all other callbacks in order -> 6000 true
    const wheel = new TimerWheel()
    const seen = []
    const expected = []
    process.on('uncaughtException', ({ message }, origin) => seen.push(message + ', ' + origin))
    for (let i = 0; i < 2_000; i++) {
      wheel.schedule(() => { throw new Error('scheduled ' + i) }, 5)
      wheel.schedule(() => seen.push('ran ' + i), 5)
      wheel.setTimeout(() => { throw new Error('set ' + i) }, 5)
      expected.push('scheduled ' + i + ', uncaughtException', 'ran ' + i, 'set ' + i + ', uncaughtException')
    }
    process.once('beforeExit', () => console.log(seen.length, seen.join() === expected.join()))
    # runs timers that the handler sets, and stops a wheel that the handler stops -> stopped 2 | set by the handler
    const wheel = new TimerWheel()
    process.on('uncaughtException', () => {
      console.log('stopped', wheel.stop().length)
      setTimeout(() => console.log('set by the handler'), 5)
    })
    wheel.schedule(fail, 5)
    wheel.schedule(() => console.log('due in the same tick'), 5)
    wheel.schedule(() => console.log('due later'), 50)`)

  for (const slice of ['first', 'second']) {
    it(`
      # runs the rest at once after a callback threw in the ${slice} slice, if the handler was set in that slice
      -> thrown | the rest true
      const started = performance.now()
      if ('${slice}' === 'second') setTimeout(work, 10)
      setTimeout(() => process.on('uncaughtException', ({ message }) => console.log(message)), 10)
      setTimeout(fail, 10)
      setTimeout(() => {
        console.log('the rest', performance.now() - started < 2000)
        clearTimeout(later)
      }, 10)
      const later = setTimeout(() => {}, 3000)`)
  }
})
