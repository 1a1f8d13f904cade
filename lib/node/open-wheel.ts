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
import { NOW, UNFINISHED } from '../memory/layout.js'
import type { Wheel } from '../wheel/wheel.js'
import type { Client, Platform } from './host/platform.js'
import { onDemand } from './on-demand/load.js'
import { Watch } from './sight/watch.js'
import { openSliceBudget } from './slice-budget.js'

/** The clock is read at least once in this many callbacks. */
const LONGEST_STRIDE = 64

export interface NodeWheel extends Wheel {
  readonly _watch: Watch
}

type WheelOptions = Omit<CheckedOptions, 'driver' | 'asyncContext' | 'maxPending'>

/** The options of the shared wheel that `configure` does not change. */
export const SHARED = { tick: DEFAULT_TICK, unref: false, name: 'shared' }

export function openWheel({ host, openLoop }: Platform, options: WheelOptions): NodeWheel {
  const { tick, name } = options
  const limits = { _budget: options.budget, _overruns: 0 }
  const watch = new Watch(name, options.measure, host.now)
  const client: Client = {
    dispatch,
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
  const { expire, overrun } = watch.all ?? {}
  const { _core: core, _next: nextDue, _run: run, _hasDue: hasDue, _readClock: readClock } = kernel
  /** The last slice has left due timers. */
  let hasRest = false
  /** The units that the present slice has run. */
  let ran = 0

  // A slice runs the next ticks and microtasks of each callback but the last. The host runs those of the last one when this function
  // has returned. Then no frame of this package is on the stack: V8 keeps ten frames, and async stack traces need them for the program.
  function dispatch(): boolean {
    const isFirst = !hasRest
    // The first slice of a pass uses the reading of the clock with which the pass began, unless an interrupted growth has hidden it.
    const started = (isFirst && core.reals[NOW]) || readClock()
    if (!isFirst) {
      kernel._mend()
      slice.begin(started)
    }
    if (catchesErrors !== undefined) kernel._catches = catchesErrors()
    // Usually nothing watches. Then a wake-up, which runs cold code, is spared a call. `begins` forgets the channels when the last
    // subscriber has left.
    const { measures, channels } = watch
    const isWatched =
      expire?.hasSubscribers || overrun?.hasSubscribers || measures || channels ? watch.begins() : false
    ran = 0
    hasRest = true
    kernel._isInSlice = true
    try {
      const unit = nextDue()
      if (unit !== 0) {
        ran = 1
        if (isWatched) watch.run(kernel, unit)
        else run(unit)
      }
      // Usually one timer is due. Then V8 need not compile `runMore`.
      hasRest = hasDue() && runMore(started, isWatched)
    } finally {
      kernel._isInSlice = false
    }
    if (hasRest) return true
    if (!isFirst) slice.reset()
    if (ran > 0) {
      const took = readClock() - started
      if (took >= 2 * limits._budget) countOverrun(took, isWatched)
    }
    return false
  }

  /** Runs the due timers after the first one. Returns whether some are left when the slice has used up its budget. */
  function runMore(started: number, isWatched: boolean): boolean {
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
          if (left <= 0) return endSlice(now, started, isWatched)
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
        if (isWatched) watch.run(kernel, unit)
        else run(unit)
      }
      const unfinished = core.words[UNFINISHED]
      if (unfinished === 0) return false
      // Undefined: the growth of the memory was interrupted. The new views show the rest.
      if (unfinished === undefined) kernel._mend()
      else core._resume()
      const now = readClock()
      if (slice.left(started, now, ran, 0) <= 0) return endSlice(now, started, isWatched)
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

  function endSlice(now: number, started: number, isWatched: boolean): true {
    if (now - started >= 2 * limits._budget) countOverrun(now - started, isWatched)
    slice.end(started, now)
    return true
  }

  function countOverrun(took: number, isWatched: boolean): void {
    limits._overruns++
    if (isWatched) watch.overran(limits._budget, took, ran)
  }

  return {
    _kernel: kernel,
    _limits: limits,
    _name: name,
    _watch: watch,
    _measured: (): Pick<WheelStats, 'lateness' | 'slowest'> => watch.stats,
  }
}

/** Opens a wheel that moves only in virtual time. */
export function openManualWheel({ host, openCore }: Platform, options: WheelOptions): Wheel {
  const { name, measure } = options
  const watch = new Watch(name, measure, host.now)
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
