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
