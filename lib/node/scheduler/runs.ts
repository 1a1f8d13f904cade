/** Runs of timers that somebody watches. A slice finds out once whether anyone does, and else runs its timers without a question. */
import type { WheelStats } from '../../api/stats.js'
import { DEADLINE } from '../../memory/layout.js'
import type { Records } from './records.js'
import type { Callback } from './timer-target.js'

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

/** What runs the timers: the scheduler. */
interface Runner extends Records {
  readonly watch: SliceWatch | undefined
  isWatched: boolean
  reportsErrors: boolean
  memberTick: number
  readonly fired: number
  run(unit: number): void
}

/**
 * Begins the runs of a slice. A function of its own, so that V8 inlines none of it into `dispatch` instead of what runs for each
 * timer.
 */
export function beginRuns(scheduler: Runner): void {
  scheduler.reportsErrors = scheduler.host.reportsErrors()
  scheduler.isWatched = scheduler.watch?.begins() ?? false
}

/** Counts the callback of a map, which follows. @param tick the tick at which its entry was due, in a watched slice */
export function countEntry(scheduler: Runner, tick: number): void {
  const { totals } = scheduler
  scheduler.memberTick = tick
  totals.memberRuns++
  totals.entryRuns++
}

/** Runs a timer and tells the watch. */
export function runWatched(scheduler: Runner, unit: number): void {
  const { host, fired, totals } = scheduler
  const { memberRuns } = totals
  const target = scheduler.targetOf(unit)!
  const callback = typeof target === 'function' ? target : (target.invocation.callback as Callback)
  const tick = scheduler.words[(unit << 2) | DEADLINE]!
  const due = scheduler.far.dueOf(unit) || scheduler.unwrap(tick)
  const called = scheduler.backend.now()
  const started = host.now()
  try {
    scheduler.run(unit)
  } finally {
    // Not if a group or a map has moved its record instead.
    if (scheduler.fired !== fired) {
      const deadline = totals.memberRuns === memberRuns ? due : scheduler.memberTick
      const lateness = Math.max((called - deadline) * scheduler.tick, 0)
      scheduler.watch!.ran(callback, lateness, host.now() - started)
    }
  }
}
