/** What tells our handles, of whichever class and whichever copy of this package. */

/** Marks them. */
export const HANDLE_BRAND: unique symbol = Symbol.for('timeout-wheel.timeout') as never
/**
 * Clears the handle that it is set of. A setter, because V8 inlines those after all other functions: a caller that sets
 * timers and clears them has room for 920 bytes of bytecode, and the making of a handle needs most of it.
 */
export const CLEAR: unique symbol = Symbol.for('timeout-wheel.clear') as never

/** What {@link HANDLE_BRAND} tells. */
export interface Clearable {
  readonly [HANDLE_BRAND]: true
  set [CLEAR](clearTimeout: true)
}
