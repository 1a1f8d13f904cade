/**
 * Opens a wheel on Node, and runs its due timers in slices.
 *
 * A slice runs one due timer after the other until its budget is used up; the driver calls again for the rest in the next turn of the
 * event loop. A callback can do anything: cancel or move timers, stop the wheel, throw. So each unit is looked at just before it runs.
 */
import type { WheelStats } from '../api/stats.js'
import type { CheckedOptions } from '../common/checks.js'
import { DEFAULT_TICK, FOREVER } from '../common/constants.js'
import { isDue, openKernel } from '../kernel/kernel.js'
import { readAhead } from '../kernel/read-ahead.js'
import { LONG_SLICE, PASS_BEGAN, UNFINISHED } from '../memory/layout.js'
import type { Wheel } from '../wheel/wheel.js'
import type { Client, Platform } from './host/platform.js'
import { onDemand } from './on-demand/load.js'
import { expired, overrun } from './sight/channels.js'
import { Watch } from './sight/watch.js'
import { openSliceBudget } from './slice-budget.js'

/** The clock is read at least once in this many callbacks. */
const LONGEST_STRIDE = 64

export interface NodeWheel extends Wheel {
  /** Starts to measure callbacks. false: ends it, and forgets what was measured. */
  _measure(isMeasured: boolean): void
  _setBudget(milliseconds: number): void
}

type WheelOptions = Omit<CheckedOptions, 'driver' | 'asyncContext' | 'maxPending'>

/** The options of the shared wheel that `configure` does not change. */
export const SHARED = { tick: DEFAULT_TICK, unref: false, name: 'shared' }

export function openWheel({ host, openLoop }: Platform, options: WheelOptions): NodeWheel {
  const { tick, name } = options
  const limits = { _budget: options.budget, _overruns: 0 }
  /** Undefined: nothing watches. */
  let watch: Watch | undefined
  if (options.measure) measure(true)
  const client: Client = {
    dispatch,
    ended,
    drain: host.drain,
    catchesErrors: host.catchesErrors,
  }
  const { reportTick } = host
  const kernel = openKernel(openLoop(tick, client), options)
  client.opened?.(kernel)
  const { catchesErrors } = client
  kernel._catches = catchesErrors === undefined
  kernel._hostOffset = host.now() - kernel._readClock()
  const slice = openSliceBudget(limits, kernel)
  const { _core: core, _next: nextDue, _run: run, _readClock: readClock } = kernel
  setBudget(options.budget)
  /** The last slice has left due timers. */
  let hasRest = false
  /** The units that the present slice has run. */
  let ran = 0
  /** When the present slice began, if it has run more than one unit or continues. */
  let started = 0

  // A slice runs the next ticks and microtasks of each callback but the last. The host runs those of the last one when this function
  // has returned. Then no frame of this package is on the stack: V8 keeps ten frames, and async stack traces need them for the program.
  //
  // Usually one timer is due, and a wake-up runs cold code. So this function has as little as possible.
  function dispatch(): boolean {
    const isRest = hasRest
    if (isRest) beginRest()
    if (catchesErrors !== undefined) kernel._catches = catchesErrors()
    const isWatched = watch || expired.hasSubscribers || overrun.hasSubscribers ? beginWatch() : false
    const unit = nextDue()
    ran = 0
    hasRest = true
    if (unit !== 0) {
      ran = 1
      if (isWatched) watch!.run(kernel, unit)
      else run(unit)
    }
    hasRest = (nextDue() !== 0 || core.words[UNFINISHED] !== 0) && runMore(isRest, isWatched)
    if (isRest && !hasRest) slice.reset()
    return hasRest
  }

  /** Begins a slice that runs the rest of the last one. */
  function beginRest(): void {
    kernel._mend()
    started = readClock()
    slice.begin(started)
  }

  /** Runs the due timers after the first one. Returns whether some are left when the slice has used up its budget. */
  function runMore(isRest: boolean, isWatched: boolean): boolean {
    // An interrupted growth of the memory can have hidden it.
    if (!isRest) started = core.reals[PASS_BEGAN] || readClock()
    let checkAt = 1
    /** A callback has run, but not yet the next ticks and microtasks that it queued. */
    let isUndrained = ran > 0
    for (;;) {
      for (let unit = nextDue(), readTo = 0; unit !== 0; unit = nextDue()) {
        const at = kernel._position()
        if (at >= readTo) readTo = readAhead(kernel, at)
        if (ran >= checkAt) {
          const now = readClock()
          const left = slice.left(started, now, ran, unit)
          if (left <= 0) {
            slice.end(started, now)
            return true
          }
          // A quarter of the callbacks that fit if they take as long as those so far.
          checkAt += Math.max(1, Math.min(LONGEST_STRIDE, (left * ran) / (4 * (now - started))) | 0)
        }
        if (isUndrained) {
          isUndrained = false
          drainQueues()
          // A queued function may have ended or moved the timer.
          if (!isDue(kernel, unit)) continue
        }
        ran++
        isUndrained = true
        if (isWatched) watch!.run(kernel, unit)
        else run(unit)
      }
      const unfinished = core.words[UNFINISHED]
      if (unfinished === 0) return false
      // Undefined: the growth of the memory was interrupted. The new views show the rest.
      if (unfinished === undefined) kernel._mend()
      else core._resume()
      if (nextDue() === 0 && core.words[UNFINISHED] === 0) return false
      const now = readClock()
      if (slice.left(started, now, ran, 0) <= 0) {
        slice.end(started, now)
        return true
      }
    }
  }

  function drainQueues(): void {
    if (reportTick === undefined) return client.drain?.()
    try {
      client.drain?.()
    } catch (error) {
      reportTick(error)
    }
  }

  function ended(took: number): void {
    if (ran === 0 || took < 2 * limits._budget) return
    limits._overruns++
    watch?.overran(limits._budget, took, ran)
  }

  function setBudget(budget: number): void {
    limits._budget = budget
    core.reals[LONG_SLICE] = 2 * budget
  }

  function measure(isMeasured: boolean): void {
    if (isMeasured) watch ??= new Watch(name, host.now)
    watch?.measure(isMeasured)
  }

  /** Returns whether to watch the callbacks of this slice. */
  function beginWatch(): boolean {
    watch ??= new Watch(name, host.now)
    if (watch.begins()) return true
    watch = undefined
    return false
  }

  return {
    _kernel: kernel,
    _limits: limits,
    _name: name,
    _measure: measure,
    _setBudget: setBudget,
    _measured: (): Pick<WheelStats, 'lateness' | 'slowest'> => watch?.stats ?? {},
  }
}

/** Opens a wheel that moves only in virtual time. */
export function openManualWheel({ host, openCore }: Platform, options: WheelOptions): Wheel {
  const { name, measure } = options
  const watch = new Watch(name, host.now)
  watch.measure(measure)
  const virtual = onDemand().openVirtualWheel(openCore, options, () =>
    watch.begins() ? (unit) => watch.run(virtual._kernel, unit) : undefined,
  )
  return {
    ...virtual,
    _limits: { _budget: FOREVER, _overruns: 0 },
    _name: name,
    _measured: () => watch.stats,
  }
}
