/**
 * An error that a callback throws reaches `uncaughtException`, and every other due timer still runs. The callbacks of model.test.ts throw
 * from `advance()`.
 */
import { expect, it } from '@jest/globals'
import { run } from '../node/child.js'
import { inOneProcess } from '../node/one-process.js'
import { onEachBackend } from './backends.js'

const each = (i: number): string[] => [
  `scheduled ${i} uncaughtException`,
  `ran ${i}`,
  `set ${i} uncaughtException`,
]

const inCallbacks = (callback: string): string => `
  process.on('uncaughtException', (error) => console.log(error.message))
  wheel.setTimeout(${callback}, 5)
  wheel.setTimeout(() => console.log('ran'), 5)
  wheel.schedule(${callback}, 5)
  wheel.schedule(() => console.log('ran'), 5)`

const PROGRAMS: [title: string, program: string, lines: string[]][] = [
  [
    'reports the errors of callbacks and runs all other callbacks in order',
    `
      process.on('uncaughtException', (error, origin) => console.log(error.message, origin))
      for (let i = 0; i < 3; i++) {
        wheel.schedule(() => { throw new Error('scheduled ' + i) }, 5)
        wheel.schedule(() => console.log('ran', i), 5)
        wheel.setTimeout(() => { throw new Error('set ' + i) }, 5)
      }
      for (const end = performance.now() + 20; performance.now() < end;);`,
    [0, 1, 2].flatMap(each),
  ],
  [
    'continues after thousands of callbacks throw',
    `
      let caught = 0, ran = 0
      process.on('uncaughtException', () => caught++)
      for (let i = 0; i < 6_000; i++) wheel.schedule(() => { ran++; if (i % 3 === 0) throw new Error('thrown') }, 5)
      while (wheel.pending > 0) await new Promise((resolve) => globalThis.setTimeout(resolve, 1))
      console.log(caught, ran)`,
    ['2000 6000'],
  ],
  [
    'runs an interval again after its callback throws',
    `
      process.on('uncaughtException', (error) => console.log(error.message))
      let runs = 0
      const interval = wheel.setInterval(() => {
        if (++runs === 3) clearInterval(interval)
        throw new Error('run ' + runs)
      }, 2)`,
    ['run 1', 'run 2', 'run 3'],
  ],
  ...[
    ['next tick', `() => process.nextTick(() => { throw new Error('thrown') })`],
    ['microtask', `() => queueMicrotask(() => { throw new Error('thrown') })`],
    ['rejected promise', `async () => { throw new Error('thrown') }`],
  ].map(([where, callback]): [string, string, string[]] => [
    `reports an error thrown in a ${where} of a callback`,
    inCallbacks(callback!),
    ['thrown', 'ran', 'thrown', 'ran'],
  ]),
]

onEachBackend((backend) => {
  const entry = `timeout-wheel/${backend.backend}`
  const clean = { code: 0, signal: null, stderr: '' }
  const runProgram = inOneProcess({
    prelude: `import { clearInterval, TimerWheel } from '${entry}'\nconst wheel = new TimerWheel()`,
    programs: PROGRAMS.map(([, program]) => program),
  })

  it.each(PROGRAMS)('%s', async (_, program, lines) => {
    expect(await runProgram(program)).toEqual({ ...clean, lines })
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
})
