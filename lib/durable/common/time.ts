/**
 * The time of the host. All other files of this folder take it from here, because a test tool can replace the globals at any time: the
 * work of a store goes on while a tool fakes time.
 */
import { performance } from 'node:perf_hooks'
import * as timers from 'node:timers'
import { DurableError } from './errors.js'

/** The host's own value, if a tool had replaced it before this module was loaded. Sinon, Jest and Vitest keep it in a clock. */
function ownOf<T>(name: string, present: T): T {
  const { clock } = present as { clock?: Record<string, T> }
  return clock?.[`_${name}`] ?? present
}

// The functions of `mock.timers` are bound, and nothing leads to those that they hide.
if (`${timers.setTimeout.name} ${timers.setInterval.name} ${timers.setImmediate.name}`.includes('bound #')) {
  throw new DurableError(
    'ERR_DURABLE_UNSUPPORTED',
    'mock.timers of node:test hides the timers of Node: import timeout-wheel/durable before mock.timers.enable()',
  )
}

export const setTimeout = ownOf('setTimeout', timers.setTimeout)
export const clearTimeout = ownOf('clearTimeout', timers.clearTimeout)
export const setInterval = ownOf('setInterval', timers.setInterval)
export const clearInterval = ownOf('clearInterval', timers.clearInterval)
export const setImmediate = ownOf('setImmediate', timers.setImmediate)
export const queueMicrotask = ownOf('queueMicrotask', globalThis.queueMicrotask)

/** The fake of `node:test` has no clock, but the prototype of the host's own class. */
export const HostDate = ownOf('Date', globalThis.Date.prototype.constructor as DateConstructor)
/** Milliseconds since 1970. */
export const timeOfDay = HostDate.now
/** Milliseconds on a clock that cannot be set. */
export const monotonic: () => number = performance.now.bind(performance)

/** @param isRef whether the wait keeps the process alive */
export const sleep = (ms: number, isRef = true): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    if (!isRef) timer.unref()
  })

/** The result of work, or that of `late` if it takes longer: in real time, also if a test moves the clock. */
export async function atMost<T>(ms: number, work: Promise<T>, late: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const waited = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  try {
    return await Promise.race([work, waited.then(late)])
  } finally {
    clearTimeout(timer)
  }
}
