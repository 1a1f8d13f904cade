/** `setImmediate`, which is the host's own: here for programs that take all their timers from one module. */

/** What `setImmediate` returns. */
export interface Immediate extends Disposable {
  /** Keeps the event loop alive until it has run, as it does from the start. Idempotent. */
  ref(): this
  /** Lets the process end before it has run. Idempotent. */
  unref(): this
  /** Whether it keeps the event loop alive. */
  hasRef(): boolean
  /** The callback. */
  _onImmediate(...args: never[]): void
}

export interface Immediates {
  /** Runs `callback` once the event loop has looked at I/O: Node's own function. @throws TypeError where it is no function */
  setImmediate<A extends unknown[]>(callback: (...args: A) => unknown, ...args: A): Immediate
  /** Clears what `setImmediate` returned: Node's own function. Anything else is passed over. */
  clearImmediate(immediate: Pick<Immediate, 'hasRef'> | null | undefined): void
}
