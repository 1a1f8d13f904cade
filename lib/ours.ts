/** What tells our handles, of whichever class and whichever copy of this package. */

/** Marks them. */
export const IS_OURS: unique symbol = Symbol.for('timeout-wheel.timeout') as never
/**
 * Clears the handle that it is set of. A setter, because V8 inlines those after all other functions: a caller that sets
 * timers and clears them has room for 920 bytes of bytecode, and the making of a handle needs most of it.
 */
export const CLEAR: unique symbol = Symbol.for('timeout-wheel.clear') as never

/** What {@link IS_OURS} tells. */
export interface Clearable {
  readonly [IS_OURS]: true
  set [CLEAR](clearTimeout: true)
}
