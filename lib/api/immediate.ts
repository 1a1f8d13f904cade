/** `setImmediate`: the host's own function, for programs that import all their timers from one module. */

/** A pending immediate: the return value of `setImmediate`. */
export interface Immediate extends Disposable {
  /** Keeps the event loop alive until the callback has run. This is the initial state. Idempotent. */
  ref(): this
  /** Lets the process end before the callback has run. Idempotent. */
  unref(): this
  /** Tells whether the immediate keeps the event loop alive. */
  hasRef(): boolean
  /** The callback. */
  _onImmediate(...args: never[]): void
}

/** The type of `setImmediate`. */
export interface SetImmediate {
  /** Node's own function: runs `callback` after the event loop has polled I/O. @throws TypeError if `callback` is not a function */
  <A extends unknown[]>(callback: (...args: A) => unknown, ...args: A): Immediate
}

/** The type of `clearImmediate`. */
export interface ClearImmediate {
  /** Node's own function: clears an immediate. It ignores every other value. */
  (immediate: Pick<Immediate, 'hasRef'> | null | undefined): void
}
