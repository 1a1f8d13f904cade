/** Names for programs with the functions of `timers/promises`, which like-native.ts runs. */
export const PROMISES = `
  import { getEventListeners } from 'node:events'
  const { setTimeout: wait, setInterval: ticks, setImmediate: immediate, scheduler } = timers.promises
  /** The longest delay, for timers that no program waits for. */
  const LONG = 2 ** 31 - 1
  const show = (value) => log(inspect(value, { depth: 9, sorted: true, breakLength: Infinity }))
  /** An error is shown without its stack: promises-process.test.ts has that. */
  const seen = (value) => {
    if (Object.prototype.toString.call(value) !== '[object Error]') return value
    const { stack, ...own } = Object.getOwnPropertyDescriptors(value)
    return { name: value.name, own, text: String(value), type: value.constructor.name }
  }
  /** The error that a call throws, or the result of its promise. */
  const outcome = async (call) => {
    let promise
    try { promise = call() } catch (error) { return { threw: seen(error) } }
    return promise.then((value) => ({ fulfilled: seen(value) }), (error) => ({ rejected: seen(error) }))
  }
  /** What is shown of a call that was aborted. */
  const abortOf = async (promise, reason) => {
    const { text, own: { code, cause } } = (await outcome(() => promise)).rejected
    return [text, code.value, cause.value === reason, cause.enumerable].join()
  }
  const listenersOf = (signal) => getEventListeners(signal, 'abort').length
  /** Values of many kinds. The errors of Node show each of them in another way. */
  const VALUES = [
    null, true, "it's", 'a text of more than twenty-eight characters', -0, NaN, 5n, Symbol('s'), [], function named() {},
    (() => () => {})(), class Named {}, { signal: 1 }, new Map(), Object.create(null),
    Object.assign(Object.create(null), { signal: 1 }),
  ]
`
/** What `abortOf` returns. */
export const ABORTED = 'AbortError: The operation was aborted,ABORT_ERR,true,false'
