/** An error that a callback throws reaches `uncaughtException`, and every other due timer still runs. */
import { expect, it } from '@jest/globals'
import { run } from '../node/child.js'
import { manualWheel, onEachBackend } from './backends.js'

onEachBackend((backend) => {
  const entry = `timeout-wheel/${backend.backend}`
  const clean = { code: 0, signal: null, stderr: '' }

  it('reports the errors of callbacks and runs all other callbacks in order', async () => {
    const outcome = await run(`
      import { setTimeout, TimerWheel } from '${entry}'
      process.on('uncaughtException', (error, origin) => console.log(origin, error.message))
      const wheel = new TimerWheel()
      for (let i = 0; i < 3; i++) {
        wheel.schedule(() => { throw new Error('scheduled ' + i) }, 5)
        wheel.schedule(() => console.log('ran', i), 5)
        wheel.setTimeout(() => { throw new Error('set ' + i) }, 5)
      }
      for (const end = performance.now() + 20; performance.now() < end;);
    `)
    const each = (i: number): string[] => [
      `uncaughtException scheduled ${i}`,
      `ran ${i}`,
      `uncaughtException set ${i}`,
    ]
    expect(outcome).toEqual({ ...clean, lines: [0, 1, 2].flatMap(each) })
  })

  it('continues after thousands of callbacks throw', async () => {
    const outcome = await run(`
      import { TimerWheel } from '${entry}'
      let caught = 0, ran = 0
      process.on('uncaughtException', () => caught++)
      const wheel = new TimerWheel()
      for (let i = 0; i < 6_000; i++) wheel.schedule(() => { ran++; if (i % 3 === 0) throw new Error('thrown') }, 5)
      process.on('exit', () => console.log(caught, ran, wheel.pending))
    `)
    expect(outcome).toEqual({ ...clean, lines: ['2000 6000 0'] })
  })

  it('runs an interval again after its callback throws', async () => {
    const outcome = await run(`
      import { setInterval, clearInterval } from '${entry}'
      process.on('uncaughtException', (error) => console.log(error.message))
      let runs = 0
      const interval = setInterval(() => {
        if (++runs === 3) clearInterval(interval)
        throw new Error('run ' + runs)
      }, 2)
    `)
    expect(outcome).toEqual({ ...clean, lines: ['run 1', 'run 2', 'run 3'] })
  })

  it.each([
    ['next tick', `() => process.nextTick(() => { throw new Error('thrown') })`],
    ['microtask', `() => queueMicrotask(() => { throw new Error('thrown') })`],
    ['rejected promise', `async () => { throw new Error('thrown') }`],
  ])('reports an error thrown in a %s of a callback', async (_name, callback) => {
    const outcome = await run(`
      import { TimerWheel } from '${entry}'
      process.on('uncaughtException', (error) => console.log(error.message))
      const wheel = new TimerWheel()
      wheel.setTimeout(${callback}, 5)
      wheel.setTimeout(() => console.log('ran'), 5)
      wheel.schedule(${callback}, 5)
      wheel.schedule(() => console.log('ran'), 5)
    `)
    expect(outcome).toEqual({ ...clean, lines: ['thrown', 'ran', 'thrown', 'ran'] })
  })

  it('ends the process if nothing catches the exception', async () => {
    const outcome = await run(`
      import { setTimeout } from '${entry}'
      setTimeout(() => { throw new Error('nobody catches this') }, 5)
      setTimeout(() => console.log('ran'), 50)
    `)
    expect(outcome).toMatchObject({ code: 1, signal: null, lines: [] })
    expect(outcome.stderr).toContain('Error: nobody catches this')
  })

  it('throws from advance(), and leaves the rest of the tick to the next call', () => {
    const wheel = manualWheel(backend)
    const ran: number[] = []
    wheel.schedule(() => {
      throw new Error('thrown')
    }, 5)
    wheel.setTimeout(() => ran.push(5), 5)
    expect(() => wheel.advance(10)).toThrow('thrown')
    expect([ran, wheel.pending]).toEqual([[], 1])
    wheel.schedule(() => ran.push(6), 1)
    wheel.advance(0)
    expect(ran).toEqual([5])
    wheel.advance(1)
    expect(ran).toEqual([5, 6])
  })
})
