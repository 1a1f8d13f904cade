/** Signals with a timer, and `withTimeout`, in a process of Node: its life, its memory, its async contexts and its modules. */

import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { scaled } from '../scale.js'
import { CLEAN, ENTRIES } from './backends.js'
import { type Outcome, run } from './child.js'
import { inOneProcess } from './one-process.js'

/** Time passes only while the program waits, so its lines do not depend on the machine. */
const runInVirtualTime = (script: string): Promise<Outcome> => run(script, [], virtualClock())

/** What a program sets, and the lines that it prints. */
const LIVES: [string, string, string[]][] = [
  ['timeoutSignal', 'timeoutSignal(30).onabort = end', []],
  ['timeoutSignal with unref: false', 'timeoutSignal(30, { unref: false }).onabort = end', ['over']],
  ['a cleared signal', 'timeoutSignal(30, { unref: false }).clear()', []],
  ['a refreshed signal', 'timeoutSignal(30, { unref: false }).refresh(20).onabort = end', ['over']],
  ['a signal beside a timer', 'timeoutSignal(20).onabort = end; setTimeout(() => {}, 30)', ['over']],
  ['withTimeout', 'withTimeout(new Promise(() => {}), 30).catch(end)', ['over']],
  ['withTimeout with unref: true', 'withTimeout(new Promise(() => {}), 30, { unref: true }).catch(end)', []],
  ['withTimeout of a settled promise', 'withTimeout(Promise.resolve(), 30).then(end)', ['over']],
  [
    'an aborted withTimeout',
    'withTimeout(new Promise(() => {}), 60_000, { signal: timeoutSignal(30) }).catch(end)',
    ['over'],
  ],
]

/** Says whether a signal has ended while its program was the current one. */
const lifeProgram = (use: string): string => `
  const own = (current = {})
  const end = () => { if (own === current) console.log('over') }
  ${use}`

/**
 * Prints the growth of the heap from the fourth of ten rounds to the last, in MB. A leak of 25 bytes a time is above the limit, and
 * of 60 bytes in the last of `ROUNDS`. The tables of the engine grow in the first rounds.
 */
const LIMIT = scaled(0.4, 8)
const scale = scaled(0.04, 1)
const ROUNDS: [string, string][] = [
  [
    'signals that are made and dropped without disposing, once they are aborted',
    `for (let n = 0; n < ${20 * scale}; n++) {
       for (let i = 0; i < 5_000; i++) wheel.signal(1 + i % 50)
       wheel.advance(50)
     }`,
  ],
  [
    'signals that are made and cleared',
    `for (let i = 0; i < ${1e5 * scale}; i++) wheel.signal(1 + i % 50).refresh().clear()`,
  ],
  [
    'waits for promises that are fulfilled',
    `for (let i = 0; i < ${1e3 * scale}; i++) await Promise.all(Array.from({ length: 100 }, (_, i) => withTimeout(i, 60_000)))`,
  ],
  [
    'waits with a signal of their own program',
    `const { signal } = new AbortController()
     for (let i = 0; i < ${1e3 * scale}; i++) await Promise.all(Array.from({ length: 100 }, (_, i) => withTimeout(i, 60_000, { signal })))`,
  ],
  [
    'waits, one after the other, for one promise that is never settled',
    `for (let i = 0; i < ${3e4 * scale}; i++) {
       const controller = new AbortController()
       const wait = withTimeout(forever, 60_000, { signal: controller.signal }).catch(() => {})
       controller.abort()
       await wait
     }`,
  ],
]

const growthOf = ([, round]: [string, string]): string => `
  const wheel = new TimerWheel({ driver: 'manual' })
  await growthOf(wheel, async () => { ${round} })`

describe.each(ENTRIES)('%s', (entry) => {
  it('makes signals that are cloned as those of the host, and have no names of their own', async () => {
    const outcome = await run(`
      import { isDeepStrictEqual } from 'node:util'
      import { TimerWheel } from '${entry}'
      const wheel = new TimerWheel({ driver: 'manual' })
      const clone = (signal) => {
        try {
          return structuredClone(signal)
        } catch (error) {
          return error.name
        }
      }
      const signals = [wheel.signal(10), wheel.signal(10).refresh(5), wheel.signal(1)]
      wheel.advance(1)
      const shape = (signal) => [clone(signal), Object.getOwnPropertyNames(signal)]
      for (const signal of signals) {
        const isHost = signal.constructor === AbortSignal && Symbol.toStringTag in signal
        console.log(isDeepStrictEqual(shape(signal), shape(AbortSignal.timeout(1))), isHost)
      }
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['true true', 'true true', 'true true'] })
  })

  const lifeOf = inOneProcess({
    prelude: `
      import { setTimeout, TimerWheel, timeoutSignal, withTimeout } from '${entry}'
      let current
      let started = Date.now()`,
    programs: LIVES.map(([, use]) => lifeProgram(use)),
    after: `
      if (Date.now() - started > 10_000) console.log('late')
      started = Date.now()`,
    env: virtualClock(),
  })

  it.each(LIVES)('keeps the process alive, or not, for %s', async (_, use, lines) => {
    expect(await lifeOf(lifeProgram(use))).toEqual({ ...CLEAN, lines })
  })

  it('runs listeners without an async context', async () => {
    const outcome = await runInVirtualTime(`
      import { timeoutSignal, TimerWheel, withTimeout } from '${entry}'
      import { AsyncLocalStorage } from 'node:async_hooks'
      const storage = new AsyncLocalStorage()
      storage.run('store', async () => {
        for (const signal of [timeoutSignal(5, { unref: false }), new TimerWheel().signal(5, { unref: false })]) {
          signal.addEventListener('abort', () => console.log(storage.getStore()))
        }
        await withTimeout(new Promise(() => {}), 10).catch(() => {})
        console.log(storage.getStore())
      })
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['undefined', 'undefined', 'store'] })
  })

  it('aborts work of modules of Node', async () => {
    const outcome = await run(`
      import { timeoutSignal, withTimeout } from '${entry}'
      import { once, EventEmitter } from 'node:events'
      import { createServer } from 'node:http'
      import { addAbortListener } from 'node:events'
      import { Readable } from 'node:stream'
      import { pipeline } from 'node:stream/promises'
      import { setTimeout as wait } from 'node:timers/promises'
      const show = async (name, work) => {
        const signal = timeoutSignal(20, { unref: false })
        const error = await work(signal).catch((error) => error)
        console.log(name, error.name, (error === signal.reason || error.cause === signal.reason), signal.aborted)
      }
      await show('once', (signal) => once(new EventEmitter(), 'never', { signal }))
      await show('wait', (signal) => wait(60_000, undefined, { signal }))
      await show('pipeline', (signal) => pipeline(new Readable({ read() {} }), async function* (source) { yield* source }, { signal }))
      const server = createServer(() => {}).listen(0, '127.0.0.1')
      await once(server, 'listening')
      await show('fetch', (signal) => fetch('http://127.0.0.1:' + server.address().port, { signal }))
      server.closeAllConnections()
      server.close()
      await show('any', (signal) => wait(60_000, undefined, { signal: AbortSignal.any([signal]) }))
      const signal = timeoutSignal(5, { unref: false })
      addAbortListener(signal, () => console.log('listener'))
    `)
    expect(outcome).toEqual({
      ...CLEAN,
      lines: [
        'once AbortError true true',
        'wait AbortError true true',
        'pipeline AbortError true true',
        'fetch TimeoutError true true',
        'any AbortError true true',
        'listener',
      ],
    })
  })

  it('is for Node what a signal of AbortSignal.timeout is', async () => {
    const show = (make: string): string => `
      import { timeoutSignal } from '${entry}'
      import { getEventListeners, on, EventEmitter } from 'node:events'
      import { inspect, transferableAbortSignal, types } from 'node:util'
      import { MessageChannel } from 'node:worker_threads'
      const make = ${make}
      const attempt = (code) => { try { return inspect(code()) } catch ({ name, message }) { return name + ': ' + message } }
      const { port1, port2 } = new MessageChannel()
      const post = (...args) => { port1.postMessage(...args); return 'posted' }
      const transfer = (signal) => transferableAbortSignal(signal)
      console.log(inspect(make()), inspect({ signal: make() }, { depth: 0, showHidden: false }), String(make()), JSON.stringify(make()))
      console.log(attempt(() => structuredClone(make())), attempt(() => post(make())), attempt(() => post({ deep: [make()] })))
      for (const signal of [make(), transfer(make())]) {
        console.log(attempt(() => structuredClone(signal)), attempt(() => post(signal)))
        console.log(attempt(() => structuredClone(signal, { transfer: [signal] })), attempt(() => post(signal, [signal])))
      }
      port1.close()
      console.log(Object.keys(make()), Object.entries({ ...make() }), types.isProxy(make()), make() instanceof EventTarget)
      const signal = make()
      on(new EventEmitter(), 'never', { signal })
      console.log(getEventListeners(signal, 'abort').length, new Request('http://localhost', { signal }).signal.aborted)
      process.exit()
    `
    const native = await run(show('() => AbortSignal.timeout(5_000_000)'))
    expect(native).toMatchObject(CLEAN)
    expect(await run(show('() => timeoutSignal(5_000_000)'))).toEqual(native)
  })

  it('reports an error of a listener, and aborts the signals that are due after it', async () => {
    const outcome = await runInVirtualTime(`
      import { TimerWheel } from '${entry}'
      process.on('uncaughtException', ({ message }) => console.log(message))
      const wheel = new TimerWheel()
      for (const name of ['first', 'second']) {
        const signal = wheel.signal(5, { unref: false })
        signal.addEventListener('abort', () => { throw new Error(name) })
        signal.addEventListener('abort', () => console.log('listener of the ' + name))
      }
    `)
    expect(outcome).toEqual({
      ...CLEAN,
      lines: ['listener of the first', 'first', 'listener of the second', 'second'],
    })
  })

  it('leaves no rejection unhandled, however late and for whatever arguments', async () => {
    const outcome = await runInVirtualTime(`
      import { withTimeout, setTimeout } from '${entry}'
      process.on('unhandledRejection', (error) => console.log('unhandled', error.message))
      const late = () => new Promise((_, reject) => setTimeout(reject, 50, new Error('late')))
      const controller = new AbortController()
      const { signal } = controller
      const results = [
        withTimeout(late(), 10),
        withTimeout(late(), 100),
        withTimeout(late(), 60_000, { signal }),
        withTimeout(late(), -1),
        withTimeout(late(), 10, { unknown: true }),
        withTimeout(late(), 10, { signal: AbortSignal.abort() }),
      ]
      setTimeout(() => controller.abort(), 20)
      for (const { reason } of await Promise.allSettled(results)) console.log(reason.name)
      setTimeout(() => {}, 100)
    `)
    expect(outcome).toEqual({
      ...CLEAN,
      lines: ['TimeoutError', 'Error', 'AbortError', 'RangeError', 'TypeError', 'AbortError'],
    })
  })

  it('aborts a signal that only its listeners and followers need, after garbage collections', async () => {
    const outcome = await run(
      `
      import { timeoutSignal } from '${entry}'
      timeoutSignal(60, { unref: false }).addEventListener('abort', () => console.log('listener'))
      AbortSignal.any([timeoutSignal(60, { unref: false })]).addEventListener('abort', () => console.log('follower'))
      for (let i = 0; i < 5; i++) {
        await new Promise((resolve) => globalThis.setTimeout(resolve, 5))
        gc()
      }
    `,
      ['--expose-gc'],
    )
    expect(outcome).toEqual({ ...CLEAN, lines: ['listener', 'follower'] })
  })

  it('releases a cleared signal at once, and a dropped one when it is aborted', async () => {
    const outcome = await run(
      `
      import { TimerWheel } from '${entry}'
      const wheel = new TimerWheel({ driver: 'manual' })
      const collected = async (reference) => {
        for (let i = 0; i < 10 && reference.deref(); i++) {
          await new Promise((resolve) => globalThis.setTimeout(resolve, 5))
          gc()
        }
        return reference.deref() === undefined
      }
      const make = (use) => {
        const signal = wheel.signal(100)
        signal.addEventListener('abort', () => {})
        use(signal)
        return new WeakRef(signal)
      }
      console.log(await collected(make((signal) => signal.clear())))
      const pending = make(() => {})
      console.log(await collected(pending))
      wheel.advance(100)
      console.log(await collected(pending))
    `,
      ['--expose-gc'],
    )
    expect(outcome).toEqual({ ...CLEAN, lines: ['true', 'false', 'true'] })
  })

  const growthOver = inOneProcess({
    prelude: `
      import { TimerWheel, timeoutSignal, withTimeout } from '${entry}'
      // The stack of each TimeoutError would take most of the time.
      Error.stackTraceLimit = 0
      const settle = () => new Promise((resolve) => setImmediate(resolve))
      const heap = async () => {
        for (let i = 0; i < 3; i++) { await settle(); gc() }
        return process.memoryUsage().heapUsed
      }
      const forever = new Promise(() => {})
      const growthOf = async (wheel, round) => {
        let before
        for (let i = 0; i < 10; i++) {
          await round()
          if (i === 3) before = await heap()
        }
        const growth = ((await heap()) - before) / 2 ** 20
        console.log(growth < ${LIMIT} ? 'none' : growth, wheel.pending)
        wheel.stop()
      }`,
    programs: ROUNDS.map(growthOf),
    flags: ['--expose-gc', '--no-warnings'],
  })

  it.each(ROUNDS)('leaves no memory behind after %s', async (...round) => {
    expect(await growthOver(growthOf(round))).toEqual({ ...CLEAN, lines: ['none 0'] })
  })
})
