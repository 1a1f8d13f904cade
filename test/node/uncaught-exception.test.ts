/** Callbacks that throw, beyond the contract: how the error leaves the process, on either build. */
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

  it('passes on the very value that was thrown', ...Array(5).fill('true'))`
    const values = [undefined, null, 0, 'text', Object.assign(new Error('marked'), { mark: 1 })]
    let n = 0
    process.on('uncaughtException', (value) => console.log(value === values[n++]))
    for (const value of values) setTimeout(() => { throw value }, 5)
  `

  it(
    'runs timers that the handler sets, and stops a wheel that the handler stops',
    'stopped 2',
    'set by the handler',
  )`
    const wheel = new TimerWheel()
    process.on('uncaughtException', () => {
      console.log('stopped', wheel.stop().length)
      setTimeout(() => console.log('set by the handler'), 5)
    })
    wheel.schedule(fail, 5)
    wheel.schedule(() => console.log('due in the same tick'), 5)
    wheel.schedule(() => console.log('due later'), 50)
  `

  for (const slice of ['first', 'second']) {
    it(
      `runs the rest at once after a callback threw in the ${slice} slice, if the handler was set in that slice`,
      'thrown',
      'the rest true',
    )`
      const started = performance.now()
      if ('${slice}' === 'second') setTimeout(work, 10)
      setTimeout(() => process.on('uncaughtException', ({ message }) => console.log(message)), 10)
      setTimeout(fail, 10)
      setTimeout(() => {
        console.log('the rest', performance.now() - started < 2000)
        clearTimeout(later)
      }, 10)
      const later = setTimeout(() => {}, 3000)
    `
  }
})
