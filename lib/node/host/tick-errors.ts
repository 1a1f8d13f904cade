/**
 * Errors of next ticks in virtual time, where the caller of `advance` is below them on the stack.
 *
 * A next tick that throws leaves its ids on Node's stack of async ids, and Node aborts the process when a scope below ends. Only Node's
 * function for uncaught exceptions clears the stack, and only if something takes the error.
 */
import { mainProcess } from './builtin.js'
import type { Host } from './host.js'

type FatalException = (error: unknown) => boolean

const isFatalException = (value: unknown): value is FatalException => typeof value === 'function'

/** Reports the error, or throws it if nothing takes it. */
export function reportTick(host: Host, error: unknown): void {
  const main = mainProcess()
  const fatalException: unknown = Reflect.get(main, '_fatalException')
  // The program has replaced it.
  if (!isFatalException(fatalException)) throw error
  let isTaken = false
  try {
    isTaken = host.handlesErrors() && fatalException.call(main, error)
  } finally {
    // A capture callback takes all errors, so it would be called once more.
    if (!isTaken && !main.hasUncaughtExceptionCaptureCallback?.()) clearAsyncIds(main, fatalException)
  }
  if (!isTaken) throw error
}

/** Calls the function with an error that seems to be taken. Monitors and listeners do not hear of it. */
function clearAsyncIds(main: NodeJS.Process, fatalException: FatalException): void {
  const made = {}
  const own = Object.getOwnPropertyDescriptor(main, 'emit')
  const restore = () =>
    own === undefined ? Reflect.deleteProperty(main, 'emit') : Reflect.defineProperty(main, 'emit', own)
  const emit = (...event: Parameters<typeof main.emit>): unknown => {
    if ((event as unknown[])[1] === made) return true
    // A `vm` timeout has skipped the `finally` below.
    restore()
    return main.emit(...event)
  }
  // It fails if the program has frozen the object.
  if (!Reflect.defineProperty(main, 'emit', { value: emit, configurable: true })) return
  try {
    fatalException.call(main, made)
  } finally {
    restore()
  }
}
