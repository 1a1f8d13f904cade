/** The timers that a program passes to its package, if the package accepts timers and the run demands it. */
export const timers = process.env.TIMERS_OF_ONES_OWN === '1' ? await import('timeout-wheel') : undefined
