/**
 * Async contexts: the stores of `AsyncLocalStorage` that code sees. What the package does for many callers must see the stores of none, and
 * must not keep them. So the work that goes on in the background begins here, and so does each call of a function of the program.
 */
import { AsyncResource } from 'node:async_hooks'

class Context extends AsyncResource {
  constructor() {
    super('timeout-wheel')
  }

  /** Tools that list what keeps the process alive ask for it. */
  hasRef(): boolean {
    return false
  }
}

/** Without stores: those of the code that loads the module, which in nearly all programs has none. */
const root = new Context()

/** Begins work of the package. */
export const outside = <T>(work: () => T): T => root.runInAsyncScope(work)

/**
 * Calls a function of the program with the stores of the caller. A store that the function enters stays its own. On Node 22, `enterWith`
 * changes the resource in whose scope it is called, so each call has another one.
 */
export const callHere = <A, R>(call: (argument: A) => R, argument: A): R =>
  new Context().runInAsyncScope(call, undefined, argument)

/** Calls a function of the program without stores. A store that the function enters stays its own. */
export const callOutside = <A, R>(call: (argument: A) => R, argument: A): R =>
  root.runInAsyncScope(callHere<A, R>, undefined, call, argument)
