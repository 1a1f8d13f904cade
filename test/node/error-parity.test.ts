/** Errors of callbacks take the same way as with Node's timers. test/differential has those that a handler catches. */
import { ENTRIES } from './backends.js'
import { run } from './child.js'
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
    # reaches the handler in the async context of its callback, and every other due timer runs
    const { AsyncLocalStorage } = await import('node:async_hooks')
    const storage = new AsyncLocalStorage()
    process.on('uncaughtException', (error) => log(error, storage.getStore()))
    for (const name of ['a', 'b']) {
      storage.run(name, () => setTimeout(() => { throw name }, 2))
      setTimeout(() => log('after', name, storage.getStore()), 2)
    }
    busyWait(5)`,
    '',
    `
    for (const name of ['uncaughtExceptionMonitor', 'unhandledRejection', 'rejectionHandled']) process.removeAllListeners(name)
    process.setUncaughtExceptionCaptureCallback(null)`,
  )

  eachLikeNative(`
    # ends the process if it is uncaught and no Error, and reaches a monitor once
    process.on('uncaughtExceptionMonitor', () => log('monitor'))
    setTimeout(() => { throw { reason: 'nobody catches this' } }, 2)
    # ends the process if a next tick throws it between two callbacks
    for (const next of ['a', 'b']) setTimeout(process.nextTick, 2, () => { throw new Error(next) }); busyWait(5)
    # is seen by a monitor in the context of the callback, and ends the process
    const { AsyncLocalStorage, executionAsyncId } = await import('node:async_hooks'); const storage = new AsyncLocalStorage()
    process.on('uncaughtExceptionMonitor', () => log(storage.getStore(), executionAsyncId() > 1)); storage.run('store', setTimeout, () => { throw 1 }, 2)
    # ends the process if it is undefined
    process.on('exit', (code) => log('exit', code)); setTimeout(() => { throw undefined }, 2)
    # ends the process if the handler ends it
    process.on('uncaughtException', () => process.exit(9)); setTimeout(() => { throw new Error('thrown') }, 2); setTimeout(log, 2, 'never')`)
})

// Print at once: such a process prints nothing at its exit.
describe('an error that is thrown again ends the process, and is seen once, by', () => {
  eachLikeNative(
    `
    # a handler
    process.on('uncaughtException', again); fail()
    # a monitor
    process.on('uncaughtExceptionMonitor', again)
    process.on('uncaughtException', () => console.log('handled')); fail()
    # a capture callback
    process.setUncaughtExceptionCaptureCallback(again); fail()`,
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
  # a callback is followed by its ticks also with warnings of all deprecations
  for (const name of ['a', 'b']) setTimeout(() => { process.nextTick(log, name, 'tick'); log(name) }, 2)
  log(process._tickCallback.name)`,
  '',
  ['--pending-deprecation', '--throw-deprecation'],
)

describe.each(ENTRIES)('%s', (entry) => {
  const fail = `import { setTimeout } from '${entry}'; setTimeout(function mine() { throw new Error('x') }, 2)`

  it.each([
    ['', fail],
    [' if wheels can follow test tools', `import 'timeout-wheel/testing'; ${fail}`],
  ])('shows the line of the program that made an uncaught error%s', async (_, program) => {
    const { code, stderr } = await run(program)
    expect([code, stderr.split('\n').find((line) => line.trim() !== '' && !/:\d+$/.test(line))]).toEqual([
      1,
      program,
    ])
  })
})

it('lets a callback on the addon add the handler that gets its error, in its context', async () => {
  const { lines } = await run(`
    import { AsyncLocalStorage } from 'node:async_hooks'
    import { setTimeout } from 'timeout-wheel/native'
    const storage = new AsyncLocalStorage()
    const fail = () => {
      process.on('uncaughtException', (error) => console.log(error, storage.getStore()))
      throw 'thrown'
    }
    storage.run('store', setTimeout, fail, 2)`)
  expect(lines).toEqual(['thrown store'])
})
