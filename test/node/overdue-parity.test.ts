/**
 * A timer that is overdue when its phase of the event loop begins runs before the immediates of that turn, as on Node's timers.
 * It is overdue if the program works on after it has set the timer.
 */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { CLEAN, ENTRIES } from './backends.js'
import { type Outcome, run, runNode } from './child.js'
import { inOneProcess } from './one-process.js'

// A CommonJS program, because the phase in which Node runs a module depends on its imports.
const runOn = (entry: string, body: string): Promise<Outcome> =>
  runNode(
    ['--eval', `${preludeOf(entry)}\nprocess.on('exit', () => console.log(said.join('\\n')))\n${body}`],
    virtualClock(),
  )

const SOURCES = ['node:timers', ...ENTRIES]

const preludeOf = (entry: string): string => `
  const { setTimeout } = require('${entry}')
  const entry = '${entry}'
  const said = []
  const log = (...values) => void said.push(values.join(' '))
  // Time does not pass before a message arrives, as it does while a thread reads a file.
  const onMessage = (callback) => {
    const { port1, port2 } = new MessageChannel()
    port1.once('message', () => { port1.close(); callback() })
    port2.postMessage('')
  }
  const busyWait = (ms) => { for (const end = performance.now() + ms; performance.now() < end;); }`

async function expectLikeNative(body: string): Promise<void> {
  expectEqual(await Promise.all(SOURCES.map((entry) => runOn(entry, body))))
}

function expectEqual([native, ...ours]: Outcome[]): void {
  expect(native).toEqual({ ...CLEAN, lines: expect.arrayContaining([expect.stringMatching(/./)]) })
  expect(ours).toEqual(ENTRIES.map(() => native))
}

/** A timer of 1 ms, 3 ms of work, and then an immediate. */
const OVERDUE = `
  setTimeout(log, 1, 'timer')
  busyWait(3)
  setImmediate(() => {
    log('immediate')
    setImmediate(log, 'immediate of the immediate')
  })`

/** Phases of a program that has just begun. */
const FIRST_PHASES: [string, string][] = [
  ['the main program', OVERDUE],
  ['an immediate', `setImmediate(() => {${OVERDUE}})`],
  ['a next tick', `process.nextTick(() => {${OVERDUE}})`],
  ['a microtask', `queueMicrotask(() => {${OVERDUE}})`],
]

const PHASES: [string, string][] = [
  ['an immediate, beside a later timer', `setTimeout(log, 60, 'later'); setImmediate(() => {${OVERDUE}})`],
  ['an immediate without a reference', `setImmediate(() => {${OVERDUE}}).unref(); setImmediate(() => {})`],
  [
    'immediates of immediates',
    `
    let runs = 0
    const next = () => {
      const n = ++runs
      if (n > 4) return
      setTimeout(log, 1, 'timer', n)
      busyWait(2)
      setImmediate(() => { log('immediate', n); next() })
    }
    setImmediate(next)`,
  ],
  [
    'the first of two immediates, and the work is in the second',
    `setImmediate(() => { setTimeout(log, 1, 'timer'); setImmediate(log, 'immediate') }); setImmediate(() => busyWait(3))`,
  ],
  ['a callback of I/O', `require('node:fs').stat('.', () => {${OVERDUE}})`],
  ['a callback of I/O, beside a later timer', `setTimeout(log, 60, 'later'); onMessage(() => {${OVERDUE}})`],
  [
    'a callback of I/O that sets a timer of Node after its work',
    `
    setTimeout(log, 60, 'later')
    onMessage(() => {
      setTimeout(log, 1, 'timer')
      busyWait(3)
      require('node:timers').setTimeout(() => {}, 20)
      setImmediate(() => {
        log('immediate')
        setImmediate(log, 'immediate of the immediate')
      })
    })`,
  ],
  [
    'the callback of a handle that closes',
    `
    const server = require('node:net').createServer().listen(0, () => server.close(() => {${OVERDUE}}))`,
  ],
  [
    'an immediate that also fails to connect',
    `
    setImmediate(() => {
      require('node:net').connect(1, '127.0.0.1').on('error', ({ code }) => log(code))
      ${OVERDUE}
    })`,
  ],
  ['a next tick of an immediate', `setImmediate(() => process.nextTick(() => {${OVERDUE}}))`],
  ['a microtask of an immediate', `setImmediate(() => queueMicrotask(() => {${OVERDUE}}))`],
  ['a timer', `setTimeout(() => {${OVERDUE}}, 5)`],
  ['a timer, beside a later timer', `setTimeout(log, 60, 'later'); setTimeout(() => {${OVERDUE}}, 5)`],
  ['a next tick of a timer', `setTimeout(() => process.nextTick(() => {${OVERDUE}}), 5)`],
  ['a microtask of a timer', `setTimeout(() => queueMicrotask(() => {${OVERDUE}}), 5)`],
  ['an immediate of a timer', `setTimeout(() => setImmediate(() => {${OVERDUE}}), 5)`],
  ['beforeExit', `process.once('beforeExit', () => {${OVERDUE}})`],
  [
    'beforeExit, beside a timer without a reference',
    `setTimeout(log, 60_000, 'late').unref(); process.once('beforeExit', () => {${OVERDUE}})`,
  ],
]

describe('an overdue timer runs in its turn', () => {
  it.each(FIRST_PHASES)('if it is set in %s', async (_, body) => {
    await expectLikeNative(body)
  })

  const runs = SOURCES.map((entry) =>
    inOneProcess({
      prelude: `
        import { createRequire } from 'node:module'
        const require = createRequire(process.cwd() + '/')
        ${preludeOf(entry)}`,
      programs: PHASES.map(([, body]) => body),
      after: `console.log(said.splice(0).join('\\n'))`,
      env: virtualClock(),
    }),
  )

  it.each(PHASES)('if it is set in %s', async (_, body) => {
    expectEqual(await Promise.all(runs.map((run) => run(body))))
  })

  it('if async hooks follow it', async () => {
    await expectLikeNative(`
      require('node:async_hooks').createHook({ init() {}, after() {} }).enable()
      setImmediate(() => {${OVERDUE}})`)
  })

  it('in no async resource of the package: a hook that its callback enables sees two ends of calls', async () => {
    await expectLikeNative(`
      const { createHook } = require('node:async_hooks')
      const promise = new Promise((resolve) => {
        setTimeout(() => {
          createHook({ before: () => log('before'), after: () => log('after'), destroy: () => log('destroy') }).enable()
          resolve()
        }, 0)
      })
      promise.then(() => log('then'))
      busyWait(3)`)
  })

  it('in a worker', async () => {
    await expectLikeNative(`
      const { Worker } = require('node:worker_threads')
      const worker = new Worker(\`
        const { setTimeout } = require('\${entry}')
        const { parentPort } = require('node:worker_threads')
        const overdue = () => {
          // A worker has the real clock.
          setTimeout(() => parentPort.postMessage('timer'), 1)
          for (const end = performance.now() + 20; performance.now() < end;);
          setImmediate(() => parentPort.postMessage('immediate'))
        }
        overdue()
        setImmediate(() => setImmediate(overdue))\`, { eval: true })
      worker.on('message', log)`)
  })
})

describe('an overdue timer without a reference', () => {
  it.each([
    ['the main program', (body: string) => body],
    ['an immediate', (body: string) => `setImmediate(() => {${body}})`],
    ['a callback of I/O', (body: string) => `onMessage(() => {${body}})`],
  ])('runs before the end of the process as on Node, set in %s', async (_, inPhase) => {
    await expectLikeNative(inPhase(`log('set'); setTimeout(log, 1, 'timer').unref(); busyWait(3)`))
  })
})

describe.each(ENTRIES)('%s', (entry) => {
  it('lets I/O have its turn, however long timers and microtasks work', async () => {
    const outcome = await run(
      `
      import { promises } from '${entry}'
      import { stat } from 'node:fs'
      let turns = 0
      const end = performance.now() + 2000
      const poll = () => { if (++turns < 5) stat('.', poll) }
      stat('.', poll)
      const work = async () => {
        while (turns < 5 && performance.now() < end) {
          await promises.setTimeout(1)
          for (const until = performance.now() + 2; performance.now() < until;);
        }
      }
      await Promise.all([work(), work()])
      console.log(turns)`,
      [],
      virtualClock(),
    )
    expect(outcome).toEqual({ ...CLEAN, lines: ['5'] })
  })
})
