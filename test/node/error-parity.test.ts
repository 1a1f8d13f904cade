/** Errors of callbacks take the same way as with Node's timers, and queued work runs between the same callbacks. */
import { describe, expect, it } from '@jest/globals'
import { expectLikeNative, likeNative } from './like-native.js'

/** Programs that share a process: see `AFTER`. */
const PROGRAMS: [string, string][] = [
  [
    'an error reaches the handler, and the other callbacks run in order',
    `
      process.on('uncaughtException', (error, origin) => log('caught', error, origin))
      process.on('uncaughtExceptionMonitor', (error, origin) => log('monitored', error, origin))
      const fail = (value) => { throw value }
      for (const value of [undefined, 7n]) {
        setTimeout(fail, 3, value)
        setTimeout(log, 3, 'next')
        setTimeout(() => { process.nextTick(log, 'tick'); queueMicrotask(() => log('microtask')); fail('after queueing') }, 3)
        setTimeout(() => { process.nextTick(fail, 'in a tick'); queueMicrotask(() => fail('in a microtask')) }, 3)
      }
      setTimeout(log, 3, 'last')
      let n = 0
      const interval = setInterval(() => { if (++n === 3) clearInterval(interval); fail('interval ' + n) }, 20)
      busyWait(6)
    `,
  ],
  [
    'an error reaches a capture callback',
    `
      process.setUncaughtExceptionCaptureCallback((error) => log('captured', error.message))
      setTimeout(() => { throw new Error('first') }, 2)
      setTimeout(log, 2, 'next')
      setTimeout(() => { throw new Error('second') }, 2)
      busyWait(5)
    `,
  ],
  [
    'an error reaches a handler that sets and clears timers',
    `
      process.on('uncaughtException', () => {
        clearTimeout(cleared)
        setTimeout(log, 2, 'set by the handler')
        failing.refresh()
        process.removeAllListeners('uncaughtException')
        process.on('uncaughtException', () => log('once more'))
      })
      const failing = setTimeout(() => { log('fails'); throw new Error('thrown') }, 3)
      const cleared = setTimeout(log, 3, 'never')
      setTimeout(log, 3, 'last')
      busyWait(6)
    `,
  ],
  [
    'ticks run, then microtasks, and rejections are reported',
    `
      process.on('unhandledRejection', (error) => log('unhandled', error.message))
      process.on('rejectionHandled', () => log('handled late'))
      for (const name of ['a', 'b']) {
        setTimeout(() => {
          log(name)
          Promise.resolve().then(() => { log(name, 'microtask'); process.nextTick(log, name, 'tick of a microtask') })
          process.nextTick(() => { log(name, 'tick'); Promise.resolve().then(() => log(name, 'microtask of a tick')) })
        }, 3)
        setTimeout(async () => { log(name, 'rejects'); throw new Error(name) }, 3)
        setTimeout(() => { const p = Promise.reject(new Error(name + ', late')); setTimeout(() => p.catch(() => {}), 3) }, 3)
        setTimeout(async () => { for (let i = 0; i < 3; i++) { await null; log(name, 'awaited', i) } }, 3)
      }
      busyWait(6)
    `,
  ],
]

/** Removes what a program has left beside its handlers of exceptions. */
const AFTER = `
  for (const name of ['uncaughtExceptionMonitor', 'unhandledRejection', 'rejectionHandled']) process.removeAllListeners(name)
  process.setUncaughtExceptionCaptureCallback(null)`

describe('as on timers of Node,', () => {
  const expectSame = likeNative(
    PROGRAMS.map(([, body]) => body),
    '',
    AFTER,
  )

  it.each(PROGRAMS)('%s', async (_name, body) => {
    await expectSame(body)
  })
})

describe('an error of a callback', () => {
  it('is followed by the next timer of the same delay at once, and by queued work before a timer of another delay', async () => {
    await expectLikeNative(`
      process.on('uncaughtException', (error) => log('caught', error))
      const failing = (name) => () => {
        log(name)
        process.nextTick(log, name, 'tick')
        queueMicrotask(() => log(name, 'microtask'))
        throw name
      }
      setTimeout(failing('a'), 3)
      setTimeout(failing('b'), 3)
      setTimeout(failing('c'), 4)
      setTimeout(log, 5, 'd')
      setInterval(failing('e'), 6)
      setTimeout(failing('f'), 7)
      setTimeout(() => process.exit(), 8)
      busyWait(10)
    `)
  })

  it('reaches the domain that the callback has entered, in the context of the callback', async () => {
    await expectLikeNative(`
      const { create } = (await import('node:domain')).default
      const { AsyncLocalStorage, executionAsyncId } = await import('node:async_hooks')
      const storage = new AsyncLocalStorage()
      const domain = create().on('error', ({ message }) => log(message, storage.getStore(), executionAsyncId() !== 0))
      const fail = () => { domain.enter(); throw new Error('thrown') }
      storage.run('store', () => setTimeout(fail, 2))
      setTimeout(log, 2, 'next')
    `)
  })

  it.each([
    ['an error', "throw new Error('nobody catches this')"],
    ['no error', "throw { reason: 'nobody catches this' }"],
    ['undefined', 'throw undefined'],
  ])('ends the process if it is uncaught: %s', async (_name, code) => {
    const outcome = await expectLikeNative(`
      process.on('exit', (code) => log('exit', code))
      setTimeout(log, 2, 'before')
      setTimeout(() => {
        ${code}
      }, 2)
      setTimeout(log, 20, 'never')
    `)
    expect(outcome.code).toBe(1)
    expect(outcome.lines).not.toContain('never')
  })

  it('ends the process if the handler ends it', async () => {
    await expectLikeNative(`
      process.on('uncaughtException', () => process.exit(9))
      setTimeout(() => { throw new Error('thrown') }, 2)
      setTimeout(log, 2, 'never')
    `)
  })

  // Print at once: such a process prints nothing at its exit.
  it.each([
    [
      'a handler',
      `let n = 0; process.on('uncaughtException', ({ message }) => { console.log(++n, message); throw new Error('again') })`,
    ],
    [
      'a handler that throws no error',
      `let n = 0; process.on('uncaughtException', ({ message }) => { console.log(++n, message); throw 'again' })`,
    ],
    [
      'one of two handlers',
      `
      process.on('uncaughtException', () => console.log('first'))
      process.on('uncaughtException', () => { throw new Error('again') })
      process.on('uncaughtException', () => console.log('third'))`,
    ],
    [
      'a monitor',
      `
      process.on('uncaughtExceptionMonitor', ({ message }) => { console.log(message); throw new Error('again') })
      process.on('uncaughtException', () => console.log('handled'))`,
    ],
    [
      'a capture callback',
      `
      let n = 0
      process.setUncaughtExceptionCaptureCallback(({ message }) => { console.log(++n, message); throw new Error('again') })`,
    ],
    [
      'the handler of a domain',
      `
      const { create } = (await import('node:domain')).default
      let n = 0
      const domain = create().on('error', ({ message }) => { console.log(++n, message); throw new Error('again') })
      domain.enter()`,
    ],
  ])('ends the process if %s throws again, and calls it once', async (_name, handle) => {
    const outcome = await expectLikeNative(`
      process.on('exit', () => console.log('exit'))
      ${handle}
      setTimeout(() => { throw new Error('thrown') }, 2)
      setTimeout(console.log, 2, 'never')
      setTimeout(console.log, 5, 'never')
    `)
    expect(outcome.lines).not.toContain('never')
  })

  it('ends the worker that does not catch it', async () => {
    await expectLikeNative(`
      import { Worker } from 'node:worker_threads'
      const source = (caught) => \`
        const timers = require('\${entry}')
        const { parentPort } = require('node:worker_threads')
        if (\${caught === true}) process.on('uncaughtException', (error) => parentPort.postMessage('caught ' + error.message))
        if (\${caught === 'thrown on'}) process.on('uncaughtException', () => { throw new Error('by the handler') })
        timers.setTimeout(() => { throw new Error('thrown') }, 2)
        timers.setTimeout(() => parentPort.postMessage('next'), 30)
      \`
      for (const caught of [true, false, 'thrown on']) {
        const worker = new Worker(source(caught), { eval: true, execArgv: [] })
        worker.on('message', (message) => log(message))
        worker.on('error', (error) => log('error', error.message))
        await new Promise((resolve) => worker.on('exit', (code) => resolve(log('exit', code))))
      }
    `)
  })
})

describe('between two callbacks, Node', () => {
  it('runs ticks also with warnings of all deprecations', async () => {
    await expectLikeNative(
      `
      for (const name of ['a', 'b']) setTimeout(() => { log(name); process.nextTick(log, name, 'tick') }, 2)
      log(process._tickCallback.name)`,
      ['--pending-deprecation', '--throw-deprecation'],
    )
  })
})
