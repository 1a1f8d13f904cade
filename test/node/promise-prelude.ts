/** Names for programs with the functions of `timers/promises`, which like-native.ts runs. */
import { PROMISES } from './backends.js'

export const WITH_PROMISES = `${PROMISES}
  import { getEventListeners } from 'node:events'
  const { setTimeout: wait, setInterval: ticks, setImmediate: immediate, scheduler } = promises
  /** The longest delay, for timers that no program waits for. */
  const LONG = 2 ** 31 - 1
  const show = (value) => log(inspect(value, { depth: 9, sorted: true, breakLength: Infinity }))
  /** The texts of errors with a code are those of the package. */
  const seen = (value) => {
    if (Object.prototype.toString.call(value) !== '[object Error]') return value
    const { name, code, message } = value
    return code === undefined ? { name, message } : { name, code, isTypeError: value instanceof TypeError }
  }
  /** The error that a call throws, or the result of its promise. */
  const outcome = async (call) => {
    let promise
    try { promise = call() } catch (error) { return { threw: seen(error) } }
    return promise.then((value) => ({ fulfilled: seen(value) }), (error) => ({ rejected: seen(error) }))
  }
  /** What is shown of a call that was aborted. */
  const abortOf = async (promise, reason) => {
    const error = await promise.catch((error) => error)
    return [error, error.code, error.cause === reason, Object.keys(error).includes('cause')].join()
  }
  const listenersOf = (signal) => getEventListeners(signal, 'abort').length
  /** Values of many kinds. */
  const VALUES = [
    null, true, "it's", 'a text of more than twenty-eight characters', -0, NaN, 5n, Symbol('s'), [], function named() {},
    (() => () => {})(), class Named {}, { signal: 1 }, new Map(), Object.create(null),
    Object.assign(Object.create(null), { signal: 1 }),
  ]
`
/** What `abortOf` returns. */
export const ABORTED = 'AbortError: The operation was aborted,ABORT_ERR,true,false'
