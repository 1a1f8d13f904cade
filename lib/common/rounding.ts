/**
 * The tick from which a delay's whole ticks, at least one, are counted: the first at which the rest of it has passed since
 * `now`. The rest of a delay below a tick is negative: it ends at a tick to come, as what is set in a callback never runs in
 * the same pass, not even without a delay.
 *
 * The core moves deadlines by the same sum, so that a timer which is set later is never due before one of the same delay.
 */
export function firstTick(now: number, fraction: number): number {
  // Less its whole ticks: far on the clock, a sum would lose the fraction.
  const whole = Math.floor(now)
  return whole + Math.max(Math.ceil(now - whole + fraction), 0)
}
