/** Ticks as exact as numbers allow: see common/ticks.ts. */
import { ROUNDING_ERROR } from '../../common/ticks.js'

/** The part by which ticks can be wrong. With ticks of 1 ms, nothing is divided. */
export const errorOf = (tick: number): number => (tick === 1 ? 0 : ROUNDING_ERROR)

/** Returns the whole number within a rounding error of `ticks`; `ticks` itself if there is none. */
export function roundIfClose(ticks: number, error: number): number {
  const whole = Math.round(ticks)
  return Math.abs(ticks - whole) <= ticks * error ? whole : ticks
}
