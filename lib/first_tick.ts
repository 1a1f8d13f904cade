/**
 * The first tick at which the fraction of a delay has passed since `now`. Of a delay below a tick, whose fraction is given
 * less 1, it is a tick to come: what is set in a callback never runs in the same pass, not even without a delay.
 *
 * The core moves deadlines by the same sums, so that a timer which is set later is never due before one of the same delay.
 */
export function firstTick(now: number, fraction: number): number {
  return fraction >= 0
    ? Math.ceil(now + fraction)
    : Math.max(Math.ceil(now + (fraction + 1)), Math.floor(now) + 1)
}
