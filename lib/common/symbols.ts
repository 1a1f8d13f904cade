/** Symbols: the brand shared by the handles of every class and every copy of the package, and the key of `using`. */

/** The property that marks a handle. */
export const HANDLE_BRAND: unique symbol = Symbol.for('timeout-wheel.timeout') as never
/**
 * A write to this property clears the handle. It is a setter because V8 inlines setters after all other functions. V8
 * inlines at most 920 bytes of bytecode into one caller, and the construction of a handle needs most of them.
 */
export const CLEAR: unique symbol = Symbol.for('timeout-wheel.clear') as never

/** A handle with the brand. */
export interface Clearable {
  readonly [HANDLE_BRAND]: true
  set [CLEAR](clearTimeout: true)
}

/** The key of the method that `using` calls. Runtimes without the syntax may lack the symbol. */
export const disposeSymbol: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose')
