/** Ticks as exact as numbers allow: see common/ticks.ts. */

/** Returns the whole number within a rounding error of `ticks`; `ticks` itself if there is none. */
export function roundIfClose(ticks: number, error: number): number {
  const whole = Math.round(ticks)
  return Math.abs(ticks - whole) <= ticks * error ? whole : ticks
}
