/** Options and signals of `timers/promises` do what those of Node do, on both builds. */
import { eachLikeNativeInOne } from './like-native.js'
import { ABORTED, WITH_PROMISES } from './promise-prelude.js'

const CALLS = {
  setTimeout: `(options, delay = 1) => wait(delay, 'value', options)`,
  setImmediate: `(options) => immediate('value', options)`,
  setInterval: `(options, delay = 1) => {
    const values = ticks(delay, 'value', options)
    return values.next().finally(() => values.return())
  }`,
  'scheduler.wait': '(options, delay = 1) => scheduler.wait(delay, options)',
}

describe.each(Object.entries(CALLS))('%s', (_name, call) => {
  eachLikeNativeInOne(
    `
    # refuses the same options with the same codes
    for (const value of VALUES) {
      show(await outcome(() => call(value)))
      for (const values of [{ ref: value }, { signal: value }, { ref: 1, signal: value }]) show(await outcome(() => call(values)))
    }
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
    `${WITH_PROMISES}\nconst call = ${call}\n`,
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
  WITH_PROMISES,
)
