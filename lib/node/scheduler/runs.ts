/**
 * Runs of timers in an unusual slice: if the program handles errors, each is reported here; if anyone watches, the callback is timed. A
 * slice finds out once whether either is so, and else runs its timers without a question.
 */
import type { WheelStats } from '../../api/stats.js'
import { DEADLINE, EXPIRATIONS, EXPIRED, ORDER_NUMBER } from '../../memory/layout.js'
import { pendingUnits } from './records.js'
import type { Scheduler } from './scheduler.js'
import type { Callback } from './timer-target.js'

/** Among more records nothing is searched: it would block the event loop. */
const SEARCHED = 1000

/** Watches callbacks: see ../sight/watch.ts. */
export interface SliceWatch {
  /** Begins to measure all callbacks, or ends it. */
  measure(isMeasured: boolean): void
  /** What it has measured, for `stats()`. */
  readonly stats: Pick<WheelStats, 'lateness' | 'slowest'>
  /** Called when a slice begins. Returns whether to watch its callbacks. */
  begins(): boolean
  /** Called after each watched callback, also if it has thrown, with milliseconds. */
  ran(callback: Callback, lateness: number, duration: number): void
  /** Called when a watched slice ends that has overrun its budget, with milliseconds. */
  overran(budget: number, duration: number, callbacks: number): void
}

/**
 * Begins the runs of a slice. Returns whether it is a usual one. A function of its own, so that V8 inlines none of it into `dispatch`
 * instead of what runs for each timer.
 */
export function beginRuns(scheduler: Scheduler): boolean {
  scheduler.reportsErrors = scheduler.host.reportsErrors()
  scheduler.isWatched = scheduler.watch?.begins() ?? false
  return !scheduler.reportsErrors && !scheduler.isWatched
}

/** Counts the callback of a map, which follows. @param tick the tick at which its entry was due, in a watched slice */
export function countEntry(scheduler: Scheduler, tick: number): void {
  const { totals } = scheduler
  scheduler.memberTick = tick
  totals.memberRuns++
  totals.entryRuns++
}

/** Runs a timer of a slice that reports errors or is watched. */
export function runUnusual(scheduler: Scheduler, unit: number): void {
  if (scheduler.isWatched) runWatched(scheduler, unit)
  else runReporting(scheduler, unit)
}

/** Runs a timer and tells the watch. */
function runWatched(scheduler: Scheduler, unit: number): void {
  const { host, fired, totals, advanced } = scheduler
  const { memberRuns } = totals
  const target = scheduler.targetOf(unit)!
  const callback = typeof target === 'function' ? target : (target.invocation.callback as Callback)
  const tick = scheduler.words[(unit << 2) | DEADLINE]!
  const due = scheduler.far.dueOf(unit) || advanced - (((advanced | 0) - tick) | 0)
  const called = scheduler.backend.now()
  const started = host.now()
  try {
    if (scheduler.reportsErrors) runReporting(scheduler, unit)
    else {
      scheduler.isUndrained = true
      scheduler.run(unit)
    }
  } finally {
    // Not if a group or a map has moved its record instead.
    if (scheduler.fired !== fired) {
      const deadline = totals.memberRuns === memberRuns ? due : scheduler.memberTick
      const lateness = Math.max((called - deadline) * scheduler.tick, 0)
      scheduler.watch!.ran(callback, lateness, host.now() - started)
    }
  }
}

/**
 * Runs a timer and reports an error of its callback. The order after an error is that of Node, which keeps a list of
 * timers for each delay: the next timer with the same delay runs first, then the queued functions. But if the callback
 * clears its own timer, and its list is empty, Node deletes the list. Then the next timer of any delay runs first.
 */
function runReporting(scheduler: Scheduler, unit: number): void {
  const { host } = scheduler
  const delay = delayOf(scheduler, unit)
  scheduler.hasReported = false
  scheduler.hasClearedItself = false
  scheduler.clearedAt = scheduler.order
  try {
    scheduler.run(unit)
  } catch (error) {
    if (!host.report(error)) throw error
    scheduler.hasReported = true
  }
  scheduler.isUndrained = !scheduler.hasReported || delay === undefined || !isNextFirst(scheduler, delay)
}

/** Whether the next timer runs before the queued functions. @param delay the delay of the timer whose callback has thrown */
function isNextFirst(scheduler: Scheduler, delay: number): boolean {
  const next = delayOfNext(scheduler)
  if (next === delay) return true
  return next !== undefined && scheduler.hasClearedItself && !hasOther(scheduler, delay)
}

/** Whether another timer with this delay is pending that was set before the callback cleared its own timer. True if there are many. */
function hasOther(scheduler: Scheduler, delay: number): boolean {
  if (scheduler.used > SEARCHED) return true
  for (const unit of pendingUnits(scheduler)) {
    const order = scheduler.words[(unit << 2) | ORDER_NUMBER]!
    if (delayOf(scheduler, unit) === delay && order < scheduler.clearedAt) return true
  }
  return false
}

/** The delay of a timer with a handle, in milliseconds. */
function delayOf(scheduler: Scheduler, unit: number): number | undefined {
  const target = scheduler.targetOf(unit)
  return typeof target === 'object' ? target._ms : undefined
}

/** The delay of the next timer with a handle in this pass that is still due. */
function delayOfNext(scheduler: Scheduler): number | undefined {
  const { words, targetTick } = scheduler
  for (let { next } = scheduler; next < words[EXPIRED]!; next++) {
    const unit = words[EXPIRATIONS + next]!
    const delay = delayOf(scheduler, unit)
    if (delay === undefined || scheduler.refreshedHandle(unit) !== undefined) continue
    if (((targetTick - words[(unit << 2) | DEADLINE]!) | 0) >= 0) return delay
  }
  return undefined
}
