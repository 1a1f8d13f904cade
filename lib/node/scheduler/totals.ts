/**
 * The counts behind `stats()`, without work in the paths that run for each timer.
 *
 * - `Timers` counts the timers that were set.
 * - Each expiration that is passed is a run, except those that are counted here as skipped.
 * - A timer that was set, and neither runs nor is pending, was cancelled.
 *
 * These numbers and the index of the next expiration start again at times. Then the numbers so far are added here.
 */
export class Totals {
  /** The timers that were set before order numbers last started again. */
  scheduled = 0
  /** The members of groups that were removed before that. */
  removed = 0
  /** The members of groups and entries of maps that ran, and the entries among them. */
  memberRuns = 0
  entryRuns = 0
  /** The records that groups have had: they are no timers of the program. */
  groups = 0
  /** The expirations that were passed before the present ones. */
  passed = 0
  /** The expirations of timers that an earlier callback had cancelled or moved. */
  skipped = 0
  /** The next runs of intervals. */
  reruns = 0
  /** How often an interval was refreshed by its own callback; how often its next run then replaced that refresh. */
  ownRefreshes = 0
  droppedRefreshes = 0
  /** The intervals that were cleared while their callbacks ran. */
  clearedRuns = 0
  /** See {@link WheelStats}. */
  overruns = 0
}
