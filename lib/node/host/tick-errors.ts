/**
 * Errors of next ticks in virtual time, where the caller of `advance` is below them on the stack.
 *
 * A next tick that throws leaves its ids on Node's stack of async ids, and Node aborts the process when a scope below ends. Only Node's
 * function for uncaught exceptions clears the stack, and only if something takes the error. If the program has replaced that function,
 * has frozen `process` or captures errors with a function that throws, the ids stay.
 */
import type { Host } from './host.js'

/** Reports the error, or throws it if nothing takes it. */
export function reportTick(host: Host, error: unknown): void {
  const main: NodeJS.Process & { _fatalException?: unknown } = host.mainProcess()
  const { _fatalException: fatalException } = main
  if (typeof fatalException !== 'function') throw error
  const report = (thrown: unknown): boolean => fatalException.call(main, thrown, false) !== false
  let isTaken = false
  try {
    isTaken = host.hasHandler() && report(error)
  } finally {
    // A capture callback would be called once more.
    if (!isTaken && !main.hasUncaughtExceptionCaptureCallback()) clearAsyncIds(main, report)
  }
  if (!isTaken) throw error
}

/** Reports an error that seems to be taken. Monitors and listeners do not hear of it; on Node 26, further capture callbacks do. */
function clearAsyncIds(main: NodeJS.Process, report: (thrown: unknown) => boolean): void {
  const made = {}
  const own = Object.getOwnPropertyDescriptor(main, 'emit')
  const restore = () =>
    own ? Reflect.defineProperty(main, 'emit', own) : Reflect.deleteProperty(main, 'emit')
  const emit = (...event: Parameters<typeof main.emit>): unknown => {
    if ((event as unknown[])[1] === made) return true
    // A `vm` timeout has skipped the `finally` below.
    restore()
    return main.emit(...event)
  }
  if (Reflect.defineProperty(main, 'emit', { value: emit, configurable: true })) {
    try {
      report(made)
    } finally {
      restore()
    }
  }
}
