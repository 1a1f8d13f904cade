/** Wheels with different ticks share one event loop. */
import { describe, expect, it } from '@jest/globals'
import { run as runProgram } from '../../.tooling/child.cjs'
import { fineClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { ROOT, run } from './child.js'
import { printsWith } from './prints.js'

describe.each(ENTRIES)('%s', (entry) => {
  const prelude = `
    import { TimerWheel } from '${entry}'
    const work = (ms) => { for (const end = performance.now() + ms; performance.now() < end; ); }
  `

  const inVirtualTime = printsWith([], fineClock(), prelude)
  inVirtualTime(`
    # gives every wheel its turn if all of them exceed their budget -> 2000,2000,2000 true
    const wheels = [1, 10, 1].map((tick) => new TimerWheel({ tick, budget: 0.5 }))
    const ran = wheels.map(() => 0)
    let least
    wheels.forEach((wheel, n) => {
      for (let i = 0; i < 2_000; i++) {
        wheel.schedule(() => {
          work(0.02)
          if (++ran[n] === 2_000) least ??= Math.min(...ran)
        }, 1)
      }
    })
    process.on('exit', () => console.log(ran.join(), least > 0))`)

  it('lets a process end whose wheels have only unreferenced intervals, each over its budget', async () => {
    // One wheel begins while the other still has callbacks left, so at any time one of the two has some. Node lists the pipe that the
    // program has printed to among what keeps it alive.
    const script = `${prelude}
      console.log('a pipe')
      const start = (others) => {
        const wheel = new TimerWheel({ budget: 1 })
        wheel.setInterval(() => { if (others > 0) start(others - 1); others = 0; work(3) }, 1).unref()
        wheel.setInterval(() => work(3), 1).unref()
      }
      start(+process.env.OTHERS)
      setTimeout(() => {}, 50)`
    const outcomes = ['0', '1', '1', '1', '2', '2', '3'].map((OTHERS) => run(script, [], { OTHERS }))
    for (const outcome of outcomes) expect(await outcome).toEqual({ ...CLEAN, lines: ['a pipe'] })
    const env = { ...process.env, OTHERS: '3' }
    const paused = ['--input-type=module', '--eval', `${script}\nprocess.stdin.pause()`]
    const how = { cwd: ROOT, env, input: 'not read', limit: 50_000 }
    expect(await runProgram(process.execPath, paused, how)).toMatchObject({ code: 0, stdout: 'a pipe\n' })
  })
})
