/**
 * Arithmetic for wheels whose ticks are not 1 ms. Times are exact in whole units: milliseconds, or microseconds if a tick is
 * not a whole number of milliseconds. In ticks they often are not: 1 ms is a third of a tick of 3 ms. So a sum of ticks can lie
 * a rounding error above a whole number, and must not be rounded up to the next one.
 */

/** Sums and quotients of ticks are wrong by at most this part of them. */
export const ROUNDING_ERROR = 2 ** -51

export const unitsPerMs = (tick: number): number => (tick % 1 ? 1000 : 1)

export const unitsPerTick = (tick: number): number => Math.round(tick * unitsPerMs(tick))

/** Converts ticks to milliseconds. */
export const msOf = (ticks: number, tick: number): number => (ticks * unitsPerTick(tick)) / unitsPerMs(tick)
