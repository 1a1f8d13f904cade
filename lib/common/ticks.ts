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

/** Returns the whole number within a rounding error of `ticks`; `ticks` itself if there is none. */
export function roundIfClose(ticks: number, error: number): number {
  const whole = Math.round(ticks)
  return Math.abs(ticks - whole) <= ticks * error ? whole : ticks
}

/**
 * Returns the first tick at or after `now + fraction`, at least the tick of `now`. The deadline is that tick plus the whole
 * ticks of the delay, at least one; `fraction` is the rest of the delay, negative for a delay below one tick. So a deadline
 * is always later than the tick of `now`: a timer that a callback sets must not run in the same pass.
 *
 * The core moves deadlines by the same sum. So a timer that is set later is never due before one with the same delay.
 */
export function firstTick(now: number, fraction: number): number {
  // Without the whole ticks of `now`: if `now` is large, the sum would lose the fraction.
  const whole = Math.floor(now)
  return whole + Math.max(Math.ceil(now - whole + fraction), 0)
}
