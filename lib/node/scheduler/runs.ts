/**
 * Runs one due timer. If the program handles errors, each is reported here. If anyone watches, the callback is timed. A slice
 * finds out once whether either is so, and else runs its timers without a question.
 */
import type { WheelStats } from '../../api/stats.js'
// biome-ignore format: a list of words
import {
  BLOCK_SHIFT, DEADLINE, EXPIRATIONS, EXPIRED, GENERATION, RECORD_MASK,
} from '../../memory/layout.js'
import { IdTimers } from './id-timers.js'
import type { Callback, Handle } from './timer-target.js'

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

export abstract class Runs extends IdTimers {
  /** The index of the next expiration to run. It moves on when that record is freed. */
  next = 0
  /** Whether an expiration has an argument. */
  hasArguments = false
  /** Whether errors of callbacks are reported here, and whether the last callback's error was. */
  reportsErrors = false
  hasReported = false
  /** The handle whose callback is running. */
  running: Handle | undefined
  /** A callback has run, but not yet the next ticks and microtasks that it queued. */
  isUndrained = false
  watch: SliceWatch | undefined
  /** Whether callbacks of this slice are watched. */
  isWatched = false
  /** Whether this slice neither reports errors nor is watched. */
  isUsual = true
  /** The tick at which the last member of a group or entry of a map was due, on the scale that does not wrap. */
  memberTick = 0

  /** Begins the runs of a slice. */
  beginRuns(): void {
    this.reportsErrors = this.host.reportsErrors()
    this.isWatched = this.watch?.begins() ?? false
    this.isUsual = !this.reportsErrors && !this.isWatched
  }

  /** The number of callbacks that have run. */
  get fired(): number {
    const { totals } = this
    return totals.passed + this.next - totals.skipped + totals.memberRuns
  }

  /** Ends the timer that is about to run. The handle notes it before any other call. O(1). */
  endDue(unit: number, referenced: boolean): void {
    this.cancel(unit, referenced)
    this.next++
  }

  /** Counts the callback of a map, which follows. @param tick the tick at which its entry was due, in a watched slice */
  countEntry(tick: number): void {
    this.memberTick = tick
    this.totals.memberRuns++
    this.totals.entryRuns++
  }

  /** Runs a timer of a slice that reports errors or is watched. */
  runUnusual(unit: number): void {
    if (this.isWatched) this.runWatched(unit)
    else this.runReporting(unit)
  }

  /** Runs a timer and tells the watch. */
  private runWatched(unit: number): void {
    const { host, fired, totals } = this
    const { memberRuns } = totals
    const target = this.targetOf(unit)!
    const callback = typeof target === 'function' ? target : (target.invocation.callback as Callback)
    const tick = this.words[(unit << 2) | DEADLINE]!
    const due = this.farDue(unit) || this.advanced - (((this.advanced | 0) - tick) | 0)
    const called = this.backend.now()
    const started = host.now()
    try {
      if (this.reportsErrors) this.runReporting(unit)
      else {
        this.isUndrained = true
        this.run(unit)
      }
    } finally {
      // Not if a group or a map has moved its record instead.
      if (this.fired !== fired) {
        const deadline = totals.memberRuns === memberRuns ? due : this.memberTick
        this.watch!.ran(callback, Math.max((called - deadline) * this.tick, 0), host.now() - started)
      }
    }
  }

  /**
   * Runs a timer and reports an error of its callback. The order after an error is that of Node, which keeps a list of
   * timers for each delay: the next timer with the same delay runs first, then the queued functions.
   */
  private runReporting(unit: number): void {
    const { host } = this
    const delay = this.delayOf(unit)
    this.hasReported = false
    try {
      this.run(unit)
    } catch (error) {
      if (!host.report(error)) throw error
      this.hasReported = true
    }
    this.isUndrained = !(this.hasReported && this.delayOfNext() === delay)
  }

  /** The delay of a timer with a handle, in milliseconds. */
  private delayOf(unit: number): number | undefined {
    const target = this.targets[unit >>> BLOCK_SHIFT]?.[unit & RECORD_MASK]
    return typeof target === 'object' ? target._ms : undefined
  }

  /** The delay of the next timer with a handle in this pass. */
  private delayOfNext(): number | undefined {
    const { words } = this
    for (let next = this.next; next < words[EXPIRED]!; next++) {
      const delay = this.delayOf(words[EXPIRATIONS + next]!)
      if (delay !== undefined) return delay
    }
    return undefined
  }

  /** Ends a timer and runs it. */
  run(unit: number): void {
    const target = this.targets[unit >>> BLOCK_SHIFT]![unit & RECORD_MASK]!
    if (typeof target === 'function') {
      const argument = this.hasArguments ? this.argumentOf(unit) : undefined
      if ((this.words[(unit << 2) | GENERATION]! & 1) === 0) this.endUnnamed(unit)
      else this.cancelId(unit)
      this.next++
      target(argument)
    } else {
      target.expire()
    }
  }
}
