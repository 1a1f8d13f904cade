/** Pages and workers. */
import { invalidCallback } from '../errors.js'
import type { Frames, HostTimer, PageHost } from '../host.js'
import { monotonic } from './page_clock.js'
import { watchLife } from './page_life.js'
import { startWorker } from './page_worker.js'
import { openSteps, stepsBy } from './steps.js'

// Numbers, where the types of Node say objects.
type Timer = ReturnType<typeof setTimeout>

/** The globals as they are when the module loads, any of which may be missing: workers, workerd, Jest's environments. */
type Globals = Partial<typeof globalThis>

export function pageHostOf(globals: Globals): PageHost {
  const { performance, document, MessageChannel, Worker, Blob, URL } = globals
  // Called as functions: with another `this` a page refuses.
  const { setTimeout, clearTimeout, requestAnimationFrame } = globals as typeof globalThis
  const now = performance === undefined ? monotonic(Date.now) : performance.now.bind(performance)
  const channel = MessageChannel === undefined ? undefined : openSteps(MessageChannel, now)
  // Clamped to 4 ms after some turns; only environments that imitate a page have nothing better.
  const soon = (callback: () => void): HostTimer => setTimeout(callback, 0) as HostTimer
  const frames: Frames | undefined =
    document === undefined || requestAnimationFrame === undefined
      ? undefined
      : { request: (callback) => requestAnimationFrame(callback), areHidden: () => document.hidden }

  return {
    now,
    setTimeout: (callback, delay) => setTimeout(callback, delay) as HostTimer,
    clearTimeout: (timer) => clearTimeout(timer as Timer),
    soon: channel?.soon ?? soon,
    outside: (fn) => fn(),
    drain: undefined,
    promisedImmediate: undefined,
    abortListenerOptions: () => ({}),
    refusedToListen: () => {},
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
    steps: channel?.steps ?? stepsBy(now, soon),
    soonUnnests: channel !== undefined,
    life: document === undefined ? undefined : watchLife(document, globals as typeof globalThis),
    frames,
    // In a worker nothing is throttled: it needs no other.
    startWorker:
      document === undefined || Worker === undefined || Blob === undefined || URL === undefined
        ? undefined
        : (source, onMessage, onFailure) => startWorker({ Worker, Blob, URL }, source, onMessage, onFailure),
  }
}
