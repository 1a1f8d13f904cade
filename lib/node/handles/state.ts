/** The state of handles, and their types within the package. */
import type { Timeout } from '../../api/timeout.js'
import type { Clearable } from '../../common/symbols.js'
import type { Kernel } from '../../kernel/kernel.js'
import type { Target } from '../../kernel/target.js'

// Bits of the state of a handle, beside those of common/constants.ts. They are not in handle.ts, because the bundler writes only imported
// constants as numbers.
/** It has run or was cleared, and its end was reported to the async hooks. */
export const DESTROYED = 8
/** It has an {@link Extra}: more is to do when it is cleared. */
export const HAS_EXTRA = 16

export type TimeoutCallback = (this: Timeout, ...args: never[]) => unknown

/** A handle as the other modules of the package see it. */
export interface WheelTimeout extends Timeout, Clearable {}

/**
 * Sets a timer. Checks the arguments.
 *
 * @param kernel undefined: that of the shared wheel
 */
export type MakeTimeout = (
  kernel: Kernel | undefined,
  callback: TimeoutCallback,
  delay: unknown,
  bits: number,
  args?: unknown[],
  options?: { readonly delay: number; readonly drift: boolean } | undefined,
) => WheelTimeout

/** One class of handles. */
export interface Timeouts {
  /** Makes a handle whose timer is not set. The caller has checked the arguments. */
  readonly Timeout: new (
    callback: TimeoutCallback,
    ms: number,
    bits: number,
  ) => WheelTimeout & Target & { _unit: number; readonly _kernel: Kernel }
  readonly make: MakeTimeout
}
