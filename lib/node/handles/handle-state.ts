/** The bits of a handle's state. In a file of their own, because the bundler writes imported ones as numbers. */

// One word for all of them and the record's unit above them: a program may hold millions of handles.
export const STATE_BITS = 5
export const STATE_MASK = 2 ** STATE_BITS - 1

export const ONCE = 0
export const REPEATS = 1
export const UNREFERENCED = 2
/** It has an {@link Extra}. */
export const HAS_EXTRA = 4
/** It has run or was cleared, and what goes with that has been done. */
export const DESTROYED = 8
/** It was cleared: refresh() leaves it so. */
export const CLEARED = 16
/** It was cleared while it was pending. */
export const OVER = DESTROYED | CLEARED

/** The rare parts of a handle. Most handles have none of them. */
export interface Extra {
  /** The number that stands for the handle; 0: nobody has asked for it. */
  id: number
  args: unknown[] | undefined
  /** The delay between the next runs of an interval, if it differs from the delay that is under way. */
  repeat: number | undefined
}
