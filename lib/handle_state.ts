/** The numbers in a handle's fields. In a file of their own, because the bundler writes imported ones as numbers. */

/** In place of the delay: cleared while not pending, thus in its own callback or after it. */
export const CLEARED = -1
/** In place of the delay: ended, and what goes with that has been done. */
export const DONE = -2

// Bits of the state. One word for all of them: a program may hold millions of handles.
export const ONCE = 0
export const REPEATS = 1
export const UNREFERENCED = 2
/** It has an `Extra`. */
export const HAS_EXTRA = 4
