/** The monotonic clock of a page. */

/** Milliseconds that never go back, where there is no `performance`: the time of day, whose steps back are left out. */
export function monotonic(timeOfDay: () => number): () => number {
  let last = timeOfDay()
  let lost = 0
  return () => {
    const time = timeOfDay()
    if (time < last) lost += last - time
    last = time
    return time + lost
  }
}
