/** The bits of a handle's state in a page. In a file of their own, because the bundler writes imported ones as numbers. */
export const ONCE = 0
export const REPEATS = 1
export const UNREFERENCED = 2
/** It was cleared: refresh() does not set it again. */
export const CLEARED = 4
/** Its callback is running. */
export const RUNS = 8
