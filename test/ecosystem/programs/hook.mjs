/** The timers that a program hands to its package, where the package takes some and the run asks for it. */
export const timers = process.env.TIMERS_OF_ONES_OWN === '1' ? await import('timeout-wheel') : undefined
