/** The state of handles, and their types within the package. */
import type { Timeout } from '../../api/timeout.js'
import type { Clearable } from '../../common/symbols.js'
import type { Kernel } from '../../kernel/kernel.js'

// Bits of the state of a handle, beside those of common/constants.ts. They are not in handle.ts, because the bundler writes only imported
// constants as numbers.
/** It has run or was cleared, and its end was reported to the async hooks. */
export const DESTROYED = 8
/** It has an {@link Extra}: more is to do when it is cleared. */
export const HAS_EXTRA = 16

export type TimeoutCallback = (this: Timeout, ...args: never[]) => unknown

/** A handle as the other modules of the package see it. */
export interface WheelTimeout extends Timeout, Clearable {}

/** @param kernel undefined: the class has that of the shared wheel */
export type TimeoutClass = new (
  kernel: Kernel | undefined,
  callback: TimeoutCallback,
  delay: unknown,
  bits: number,
  args?: unknown[],
  options?: { readonly delay: number; readonly drift: boolean } | undefined,
) => WheelTimeout
