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
  /**
   * Called before each run.
   *
   * @param filed the due time of the timer. If it is not that of the last run plus the delay, the timer was refreshed. Then runs count
   *   anew from it
   * @param delay above 0
   * @returns the number of runs that were missed since the last one
   */
  _begin(filed: number, now: number, delay: number): number
  /** Called after each run, any number of times. Returns when it was due. */
  _end(): number
}

// Variables, because minifiers shorten them.
export function steadyRuns(): SteadyRuns {
  /** The due time of run 0. */
  let first = 0
  /** The delay between runs. */
  let each = 0
  /** The due time of the present run. */
  let due = 0
  /** The due time of the next run, to the last bit: after a run, the hosts add the delay to what `_end` returns. */
  let expected = 0
  /** The number of the next run if none is missed, and of the present run. */
  let next = 0
  let present = 0
  return {
    _begin(filed, now, delay) {
      if (filed !== expected || delay !== each) {
        first = filed
        each = delay
        next = 0
      }
      present = Math.max(Math.floor((now - first) / each), next)
      due = first + present * each
      expected = due + each
      return present - next
    },
    _end() {
      next = present + 1
      return due
    },
  }
}
