/** Options and signals of `timers/promises` do what those of Node do, on both builds. */
import { describe } from '@jest/globals'
import { eachLikeNativeInOne } from './like-native.js'
import { ABORTED, PROMISES } from './promise-prelude.js'

const CALLS = {
  setTimeout: `(options, delay = 1) => wait(delay, 'value', options)`,
  setImmediate: `(options) => immediate('value', options)`,
  setInterval: `(options, delay = 1) => {
    const values = ticks(delay, 'value', options)
    return values.next().finally(() => values.return())
  }`,
  'scheduler.wait': '(options, delay = 1) => scheduler.wait(delay, options)',
}

/** Shows all reads of options and of their signal, in order. The read number `throwAt` throws. */
const READS = `
  async function reads(values, throwAt, delay) {
    const read = []
    const watched = (name, target) => new Proxy(target, {
      get(object, key) {
        read.push(name + '.' + String(key))
        // If a signal has no such method, Node 20 rejects, and later lines throw.
        if (read.length === throwAt && key !== 'addEventListener') throw new Error('not read')
        const value = Reflect.get(object, key)
        return typeof value === 'function' ? value.bind(object) : value
      },
      has(object, key) {
        read.push(String(key) + ' in ' + name)
        return Reflect.has(object, key)
      },
    })
    const { signal } = values
    // The error message shows an invalid value.
    const options = signal instanceof AbortSignal ? { ...values, signal: watched('signal', signal) } : values
    show([read, await outcome(() => call(watched('options', options), delay))])
  }`

describe.each(Object.entries(CALLS))('%s', (_name, call) => {
  eachLikeNativeInOne(
    `
    # reads its options as often and in the same order, and refuses the same values
    const { signal } = new AbortController()
    // Another timer keeps the process alive for the unreferenced one.
    const hold = globalThis.setInterval(() => {}, 1)
    const aborted = { ref: true, signal: AbortSignal.abort('why') }
    for (const values of [{}, { ref: false }, { signal }, { ref: true, signal }, { ref: 'no', signal }, aborted])
      for (const throwAt of [undefined, 1, 2, 3, 4, 5, 6, 7, 8]) await reads(values, throwAt)
    for (const value of VALUES) {
      show(await outcome(() => call(value)))
      for (const values of [{ ref: value }, { ref: 1, signal: value }]) await reads(values)
      await reads({ ref: 1, signal: 1 }, undefined, value)
    }
    globalThis.clearInterval(hold)
    # removes its listener once it is fulfilled, and adds none if the signal was aborted before
    -> 0 | ${ABORTED} 0 | ${ABORTED} 0
    const { signal } = new AbortController()
    await call({ signal })
    log(listenersOf(signal))
    for (const signal of [AbortSignal.abort(new Error('why')), AbortSignal.abort()])
      log(await abortOf(call({ signal }), signal.reason), listenersOf(signal))
    # rejects with the reason of the signal as its cause, and has one listener until then
    -> 1 ${ABORTED} 0 | 1 ${ABORTED} 0 | 1 ${ABORTED} 0
    for (const reason of [new Error('why'), 'why', null]) {
      const controller = new AbortController()
      const { signal } = controller
      const promise = call({ signal }, LONG)
      const listeners = listenersOf(signal)
      controller.abort(reason)
      log(listeners, await abortOf(promise, reason), listenersOf(signal))
    }
    # settles after an abort after as many microtasks
    const controller = new AbortController()
    let settled = false
    const settle = () => { settled = true }
    call({ signal: controller.signal }, LONG).then(settle, settle)
    await undefined
    controller.abort()
    let count = 0
    for (; !settled && count < 100; count++) await undefined
    log(settled, count)
    # takes an object that only looks like a signal
    let abort
    const signal = {
      aborted: false,
      reason: 'why',
      addEventListener: (type, listener) => { abort = listener; log('add', type) },
      removeEventListener: (type, listener) => log('remove', type, listener === abort),
    }
    const promise = call({ signal }, LONG)
    signal.aborted = true
    abort()
    log(await abortOf(promise, 'why'))`,
    `${PROMISES}${READS}\nconst call = ${call}\n`,
  )
})

eachLikeNativeInOne(
  `
  # stays fulfilled if the next timer aborts the signal, and rejects if the one before does -> value ${ABORTED}
  const [late, early] = [new AbortController(), new AbortController()]
  const fulfilled = wait(5, 'value', { signal: late.signal })
  setTimeout(() => {
    late.abort()
    early.abort('why')
  }, 5)
  const rejected = wait(5, 'value', { signal: early.signal })
  log(await fulfilled, await abortOf(rejected, 'why'))`,
  PROMISES,
)
