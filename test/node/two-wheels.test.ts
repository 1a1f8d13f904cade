/** Wheels of different ticks on one event loop. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { run } from './child.js'

describe.each(ENTRIES)('%s', (entry) => {
  it('wakes each wheel at its own ticks, and none early', async () => {
    const outcome = await run(`
      import { TimerWheel } from '${entry}'
      const wheels = [1, 10, 64].map((tick) => new TimerWheel({ tick }))
      let early = 0, ran = 0
      for (let i = 0; i < 3_000; i++) {
        const delay = (i * 7) % 200
        const due = performance.now() + delay
        wheels[i % 3].schedule(() => { ran++; if (performance.now() < due - 1e-6) early++ }, delay)
      }
      process.on('exit', () => console.log(ran, early, wheels.map(({ pending }) => pending).join()))
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['3000 0 0,0,0'] })
  })

  it('keeps running the others when one is stopped, in a callback of either', async () => {
    const script = `
      import { TimerWheel } from '${entry}'
      const [fine, coarse, third] = [1, 10, 1].map((tick) => new TimerWheel({ tick }))
      fine.schedule(() => console.log('stopped', coarse.stop().length), 5)
      coarse.schedule(() => console.log('late'), 60_000)
      third.schedule(() => { console.log('stopped', third.stop().length) }, 30)
      third.schedule(() => console.log('late'), 60_000)
      fine.schedule(() => console.log('last'), 60)
    `
    // A machine that is busy for longer than between two of them has both wheels due, either of which may be first.
    const outcome = await run(script, [], virtualClock())
    expect(outcome).toEqual({ ...CLEAN, lines: ['stopped 1', 'stopped 1', 'last'] })
  })

  it('gives every wheel its turn where all have more to do than their budget', async () => {
    const outcome = await run(`
      import { TimerWheel } from '${entry}'
      const wheels = [1, 10, 1].map((tick) => new TimerWheel({ tick, budget: 0.5 }))
      const ran = wheels.map(() => 0)
      let least
      wheels.forEach((wheel, n) => {
        for (let i = 0; i < 2_000; i++) {
          wheel.schedule(() => {
            for (const end = performance.now() + 0.02; performance.now() < end;);
            if (++ran[n] === 2_000) least ??= Math.min(...ran)
          }, 1)
        }
      })
      process.on('exit', () => console.log(ran.join(), least > 0))
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['2000,2000,2000 true'] })
  })

  it('lets a process end that has wheels of unreferenced intervals, each over its budget', async () => {
    // One begins while another has a rest: of two of them one always has one.
    const script = `
      import { TimerWheel } from '${entry}'
      const work = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); }
      const start = (others) => {
        const wheel = new TimerWheel({ budget: 1 })
        wheel.setInterval(() => { if (others > 0) start(others - 1); others = 0; work(3) }, 1).unref()
        wheel.setInterval(() => work(3), 1).unref()
      }
      start(+process.env.OTHERS)
      globalThis.setTimeout(() => {}, 50)`
    const outcomes = await Promise.all(
      ['0', '1', '1', '1', '2', '2', '3'].map((others) => run(script, [], { OTHERS: others })),
    )
    for (const outcome of outcomes) expect(outcome).toEqual({ ...CLEAN, lines: [] })
  })
})
