/** Callbacks that throw, beyond the contract: how the error leaves the process, on either build. */
import { describe, expect, it } from '@jest/globals'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

describe.each(ENTRIES)('%s', (entry) => {
  it('passes on the very value that was thrown', async () => {
    const outcome = await run(`
      import { setTimeout } from '${entry}'
      const values = [undefined, null, 0, 'text', Object.assign(new Error('marked'), { mark: 1 })]
      let n = 0
      process.on('uncaughtException', (value) => console.log(value === values[n++]))
      for (const value of values) setTimeout(() => { throw value }, 5)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: Array(5).fill('true') })
  })

  it('runs timers that the handler sets, and stops a wheel that the handler stops', async () => {
    const outcome = await run(`
      import { setTimeout, TimerWheel } from '${entry}'
      const wheel = new TimerWheel()
      process.on('uncaughtException', () => {
        console.log('stopped', wheel.stop().length)
        setTimeout(() => console.log('set by the handler'), 5)
      })
      wheel.schedule(() => { throw new Error('thrown') }, 5)
      wheel.schedule(() => console.log('due in the same tick'), 5)
      wheel.schedule(() => console.log('due later'), 50)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['stopped 2', 'set by the handler'] })
  })

  it.each(['first', 'second'])(
    'runs the rest at once after a callback threw in the %s slice, if the handler was set in that slice',
    async (slice) => {
      const outcome = await run(`
        import { clearTimeout, setTimeout } from '${entry}'
        const started = performance.now()
        // Longer than the budget, so a slice ends after it.
        const work = () => { for (const end = performance.now() + 20; performance.now() < end;); }
        if ('${slice}' === 'second') setTimeout(work, 10)
        setTimeout(() => process.on('uncaughtException', ({ message }) => console.log(message)), 10)
        setTimeout(() => { throw new Error('thrown') }, 10)
        setTimeout(() => {
          console.log('the rest', performance.now() - started < 2000)
          clearTimeout(later)
        }, 10)
        const later = setTimeout(() => {}, 3000)
      `)
      expect(outcome).toEqual({ ...CLEAN, lines: ['thrown', 'the rest true'] })
    },
  )
})
