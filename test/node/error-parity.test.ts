/** Errors of callbacks take the same way as with Node's timers. test/differential has those that a handler or a domain catches. */
import { describe } from '@jest/globals'
import { eachLikeNative, eachLikeNativeInOne } from './like-native.js'

describe('an error of a callback', () => {
  eachLikeNativeInOne(
    `
    # reaches the monitor and the handler as the very value that was thrown
    const values = [undefined, null, 0, 7n, 'text', Object.assign(new Error('marked'), { mark: 1 })]
    for (const name of ['uncaughtException', 'uncaughtExceptionMonitor']) {
      let n = 0
      process.on(name, (error, origin) => log(name, error === values[n++], origin))
    }
    for (const value of values) setTimeout(() => { throw value }, 3)
    setTimeout(log, 3, 'last'); busyWait(6)
    # reaches a capture callback
    process.setUncaughtExceptionCaptureCallback((error) => log('captured', error.message))
    setTimeout(() => { throw new Error('first') }, 2); setTimeout(log, 2, 'next')
    setTimeout(() => { throw new Error('second') }, 2); busyWait(5)
    # of a next tick reaches a capture callback that an earlier callback has set
    setTimeout(() => process.setUncaughtExceptionCaptureCallback((error) => log('captured', error.message)), 2)
    setTimeout(() => process.nextTick(() => { throw new Error('thrown') }), 2)
    setTimeout(log, 2, 'next'); busyWait(5)
    # reaches a handler that sets and clears timers
    process.on('uncaughtException', () => {
      clearTimeout(cleared)
      setTimeout(log, 2, 'set by the handler')
      failing.refresh()
      process.removeAllListeners('uncaughtException')
      process.on('uncaughtException', () => log('once more'))
    })
    const failing = setTimeout(() => { log('fails'); throw new Error('thrown') }, 3)
    const cleared = setTimeout(log, 3, 'never'); setTimeout(log, 3, 'last'); busyWait(6)
    # is followed by work that it queued, whose errors and late handlers of rejections are reported
    process.on('uncaughtException', (error) => log('caught', error))
    process.on('unhandledRejection', (error) => log('unhandled', error))
    process.on('rejectionHandled', () => log('handled late'))
    for (const name of ['a', 'b']) {
      setTimeout(() => {
        process.nextTick(() => { log(name, 'tick'); throw name })
        queueMicrotask(() => { log(name, 'microtask'); throw name })
        const rejected = Promise.reject(name + ', late')
        setTimeout(() => rejected.catch(() => {}), 3)
        throw name
      }, 3)
    }
    setTimeout(log, 3, 'last'); setTimeout(log, 4, 'of another delay'); busyWait(6)
    # is followed by queued work, but first by the next timer if the callback clears its own and no other has its delay
    const fail = (ms, act, set = setTimeout) => {
      const timer = set(() => { log(ms); queueMicrotask(() => log(ms, 'microtask')); act(timer); throw timer }, ms)
      return timer
    }
    process.on('uncaughtException', clearTimeout)
    fail(2, clearTimeout, setInterval); fail(3, (timer) => clearTimeout(timer.refresh()))
    fail(4, clearTimeout).unref(); fail(5, clearTimeout); fail(6, () => {}); fail(7, () => {}, setInterval)
    fail(8, (timer) => { clearTimeout(timer); setTimeout(log, 8, 'set after that') })
    fail(9, (timer) => { setTimeout(log, 9, 'set before that'); clearTimeout(timer) })
    setTimeout(log, 10, 'last'); busyWait(15); setTimeout(log, 5, 'of a delay that has failed')
    # is followed by work that it queued, not by the next timer of its delay, if the callback has refreshed that
    process.on('uncaughtException', () => log('caught'))
    setTimeout(() => { refreshed.refresh(); queueMicrotask(() => log('microtask')); throw 1 }, 2)
    const refreshed = setTimeout(log, 2, 'refreshed'); setTimeout(log, 3, 'next'); busyWait(5)
    # reaches the domain that the callback has entered, in the context of the callback
    const { create } = (await import('node:domain')).default
    const { AsyncLocalStorage, executionAsyncId } = await import('node:async_hooks')
    const storage = new AsyncLocalStorage()
    const domain = create().on('error', ({ message }) => log(message, storage.getStore(), executionAsyncId() !== 0))
    const fail = () => { domain.enter(); throw new Error('thrown') }
    storage.run('store', () => setTimeout(fail, 2)); setTimeout(log, 2, 'next')`,
    '',
    `
    for (const name of ['uncaughtExceptionMonitor', 'unhandledRejection', 'rejectionHandled']) process.removeAllListeners(name)
    process.setUncaughtExceptionCaptureCallback(null)`,
  )

  eachLikeNative(`
    # ends the process if it is uncaught and no Error, and reaches a monitor once, also if the program has loaded the REPL
    await import('node:repl'); process.on('uncaughtExceptionMonitor', () => log('monitor'))
    setTimeout(() => { throw { reason: 'nobody catches this' } }, 2)
    # ends the process if a next tick throws it between two callbacks
    for (const next of ['a', 'b']) setTimeout(process.nextTick, 2, () => { throw new Error(next) }); busyWait(5)
    # ends the process if a next tick throws it between two callbacks, and so does the callback that captures it
    process.setUncaughtExceptionCaptureCallback(({ message }) => { log('captured', message); throw new Error('again') })
    for (const next of ['a', 'b']) setTimeout(process.nextTick, 2, () => { throw new Error(next) }); busyWait(5)
    # ends the process if a next tick throws it between two callbacks, and the process is frozen
    Object.freeze(process)
    for (const next of ['a', 'b']) setTimeout(process.nextTick, 2, () => { throw new Error(next) }); busyWait(5)
    # is seen by a monitor in the context of the callback, and ends the process
    const { AsyncLocalStorage, executionAsyncId } = await import('node:async_hooks'); const storage = new AsyncLocalStorage()
    process.on('uncaughtExceptionMonitor', () => log(storage.getStore(), executionAsyncId() > 1)); storage.run('store', setTimeout, () => { throw 1 }, 2)
    # ends the process if it is undefined
    process.on('exit', (code) => log('exit', code)); setTimeout(() => { throw undefined }, 2)
    # ends the process if the handler ends it
    process.on('uncaughtException', () => process.exit(9)); setTimeout(() => { throw new Error('thrown') }, 2); setTimeout(log, 2, 'never')
    # that a typed line has set is printed by the REPL, which goes on
    const { PassThrough } = await import('node:stream')
    const output = new PassThrough().on('data', (text) => { if (/Uncaught 1/.test(text)) log('printed') })
    const input = new PassThrough(); const repl = (await import('node:repl')).start({ input, output, prompt: '' })
    Object.assign(repl.context, { setTimeout, log })
    input.write('setTimeout(() => { setTimeout(log, 3, "goes on"); throw 1 }, 3); 0\\n')`)
})

// Print at once: such a process prints nothing at its exit.
describe('an error that is thrown again ends the process, and is seen once, by', () => {
  eachLikeNative(
    `
    # a handler
    process.on('uncaughtException', again); fail()
    # a handler of an error of a next tick
    process.on('uncaughtException', again)
    for (const ms of [2, 2]) setTimeout(process.nextTick, ms, () => { throw new Error('thrown') }); busyWait(5)
    # a handler that throws no Error
    process.on('uncaughtException', () => { console.log('once'); throw 'again' }); fail()
    # one of two handlers
    process.on('uncaughtException', () => console.log('first')).on('uncaughtException', again); fail()
    # a monitor
    process.on('uncaughtExceptionMonitor', again)
    process.on('uncaughtException', () => console.log('handled')); fail()
    # a capture callback
    process.setUncaughtExceptionCaptureCallback(again); fail()
    # the handler of a domain
    const { create } = (await import('node:domain')).default
    create().on('error', again).enter(); fail()`,
    `
    process.on('exit', () => console.log('exit'))
    const again = ({ message }) => { console.log(message); throw new Error('again') }
    const fail = () => {
      setTimeout(() => { throw new Error('thrown') }, 2)
      for (const ms of [2, 5]) setTimeout(console.log, ms, 'never')
    }`,
  )
})

eachLikeNative(
  `
  # an error is followed by ticks also with warnings of all deprecations
  process.on('uncaughtException', (error) => log('caught', error))
  for (const name of ['a', 'b']) setTimeout(() => { process.nextTick(log, name, 'tick'); throw name }, 2)
  log(process._tickCallback.name)`,
  '',
  ['--pending-deprecation', '--throw-deprecation'],
)
