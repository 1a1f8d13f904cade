/** The constants of wheels in a page. This file imports nothing, because then the bundler writes them as numbers. */

/** Milliseconds after which a requested turn counts as lost. */
export const LONGEST_WAIT = 1000
/** The shortest delay of a nested timer of the page, in milliseconds. */
export const NESTED_TIMEOUT = 4
/** The most milliseconds by which a noisy clock goes back. */
export const LONGEST_NOISE = 100
/** The longest step of a browser's clock, and a number that has all known steps as divisors, in microseconds. */
export const LONGEST_STEP = 100_000
export const COMMON_MULTIPLE = LONGEST_STEP * 16_667
