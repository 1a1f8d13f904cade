/** Pages and workers. */
import { invalidCallback } from '../errors.js'
import type { Host, HostTimer } from '../host.js'

const { setTimeout, clearTimeout, performance } = globalThis
const now = performance.now.bind(performance)

// Numbers, where the types of Node say objects.
type Timer = ReturnType<typeof setTimeout>

export const pageHost: Host = {
  now,
  setTimeout: (callback, delay) => setTimeout(callback, delay) as HostTimer,
  clearTimeout: (timer) => clearTimeout(timer as Timer),
  soon: (callback) => setTimeout(callback, 0) as HostTimer,
  outside: (fn) => fn(),
  drain: undefined,
  promisedImmediate: undefined,
  abortListenerOptions: {},
  AsyncContext: undefined,
  storesKey: undefined,
  clearedCallback: null,
  setTimeoutLength: setTimeout.length,
  // Numbers alone: of an object the page would make one, and of a symbol an exception.
  clearForeign: (timeout) => {
    if (typeof timeout === 'number' || typeof timeout === 'string') clearTimeout(timeout as Timer & string)
  },
  invalidCallback,
  reportsErrors: () => false,
  report: () => false,
  warn: (message, name) => console.warn(`${name}: ${message}`),
  warnsOfBadDelay: false,
}
