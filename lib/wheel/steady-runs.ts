/**
 * The due times of an interval that does not drift. They count from the due time of the first run, in whole delays, however late a run
 * begins and however long its callback takes:
 *
 *   due      0         1         2         3         4
 *            |---------|---------|---------|---------|
 *   begins     0       1 ---------------------- 3    4
 *
 * Run 1 has kept the program busy until run 2 was late by a whole delay. So run 2 is missed, and run 3 is told of it. Times are in
 * milliseconds.
 */
export interface SteadyRuns {
  /** The due time of the present run. */
  _due: number
  /**
   * Called before each run.
   *
   * @param due the due time of the timer. If it is not that of the last run plus the delay, the timer was refreshed. Then runs count
   *   anew from it
   * @param delay above 0
   * @returns the number of runs that were missed since the last one
   */
  _begin(due: number, now: number, delay: number): number
  /** Called after each run, any number of times. */
  _end(): void
}

// Variables, because minifiers shorten them.
export function steadyRuns(): SteadyRuns {
  /** The due time of run 0. */
  let first = 0
  /** The delay between runs. */
  let each = 0
  /** The due time of the next run, to the last bit: after a run, the hosts set the timer to `_due` plus the delay. */
  let expected = 0
  /** The number of the next run if none is missed, and of the present run. */
  let next = 0
  let present = 0
  const runs: SteadyRuns = {
    _due: 0,
    _begin(due, now, delay) {
      if (due !== expected || delay !== each) {
        first = due
        each = delay
        next = 0
      }
      present = Math.max(Math.floor((now - first) / each), next)
      runs._due = first + present * each
      expected = runs._due + each
      return present - next
    },
    _end() {
      next = present + 1
    },
  }
  return runs
}
