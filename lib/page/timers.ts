/** Makes the exports of an entry for pages: the class of wheels, and the `setTimeout` family on the shared wheel. */
import type { TimerGroup, TimerGroupOptions } from '../api/group.js'
import type { TimeoutSignal, TimeoutSignalOptions } from '../api/signal.js'
import type { WheelStats } from '../api/stats.js'
import type { Timers } from '../api/timers.js'
import type { TimersPromises } from '../api/timers-promises.js'
import type { PendingTimer, TimerWheelConstructor, TimerWheelOptions } from '../api/wheel.js'
import {
  checkAdvance,
  checkCallback,
  checkDelay,
  checkId,
  checkLimit,
  checkOptions,
  checkSharedOptions,
} from '../common/checks.js'
import { DEFAULT_BUDGET, DEFAULT_LIMIT, DEFAULT_TICK } from '../common/defaults.js'
import { disposeSymbol } from '../common/dispose.js'
import { notManual, wheelStopped } from '../common/errors.js'
import { FOREVER } from '../common/forever.js'
import type { Aborts } from '../common/promises.js'
import { noStats } from '../common/stats.js'
import { msOf } from '../common/ticks.js'
import { openVirtualTime, type RunTo } from '../common/virtual-time.js'
import { drive } from './drivers/event-loop.js'
import type { Limits } from './drivers/message-tasks.js'
import { workerAlarms } from './drivers/worker-alarm.js'
import { timerGroupOn } from './group.js'
import { ONCE, REPEATS, UNREFERENCED } from './handle-state.js'
import type { Globals, PageHost } from './host.js'
import { claimsOf, idOf, unitOfId } from './id-space.js'
import { limit } from './limit.js'
import { clearAll, forProgram, pendingTimersOf } from './pending.js'
import { promisesOn } from './promises.js'
import { scaled } from './scaled.js'
import { openScheduler } from './scheduler.js'
import type { Callback, Handle, OpenCore, Scheduler, TimerScheduler } from './scheduler-types.js'
import { set } from './set-with-options.js'
import { timeoutSignalOn } from './signals.js'
import { clear, Timeout, type TimeoutCallback } from './timeout.js'

/** What tells wheels from other objects. Objects that inherit from a wheel and proxies of one have it too: they act on the wheel. */
export interface Wheel {
  /** No other object has this property. */
  readonly _timers: Scheduler
  /** In virtual time: the time in milliseconds. */
  readonly _time?: (() => number) | undefined
}

/** The shared wheel. */
export interface Shared extends Limits {
  /** Undefined until the wheel is first needed, so that an import of the package costs no memory. */
  _scheduler?: Scheduler
}

export const sharedWheel = (): Shared => ({ _budget: DEFAULT_BUDGET, _overruns: 0 })

/** Returns the function that opens the shared wheel if it is not open. */
export function sharedOn(host: PageHost, openCore: OpenCore, shared: Shared): () => Scheduler {
  return () => (shared._scheduler ??= drive(openCore, host, DEFAULT_TICK, shared))
}

/** Makes `configure` of the shared wheel. */
export function configureOn(shared: Shared): Timers['configure'] {
  return function configure(options) {
    shared._budget = checkSharedOptions(options, shared._budget)
  }
}

function statsOf(scheduler: Scheduler, limits: Limits): WheelStats {
  const { _set, _ran } = scheduler
  return {
    pending: scheduler._pending(),
    scheduled: _set,
    fired: _ran,
    cancelled: _set + scheduler._again - _ran - scheduler._taken(),
    overruns: limits._overruns,
    // A stopped wheel has no memory.
    bytes: scheduler._words().byteLength ?? 0,
  }
}

/** Makes `stats` of the shared wheel, which does not open the wheel. */
export function statsOn(shared: Shared): () => WheelStats {
  return function stats() {
    return shared._scheduler ? statsOf(shared._scheduler, shared) : noStats()
  }
}

/** The arguments of a call from the third on. With rest parameters, each call would make an array. */
const argumentsOf = (all: IArguments): unknown[] | undefined =>
  all.length > 2 ? [].slice.call(all, 2) : undefined

// biome-ignore-start lint/complexity/noArguments: see above

export type Family = Pick<Timers, 'setTimeout' | 'setInterval' | 'clearTimeout' | 'clearInterval'>

export function familyOn(open: () => TimerScheduler, host: PageHost): Family {
  const family = {
    setTimeout(callback: TimeoutCallback, delay?: number) {
      return new Timeout(open(), callback, delay, ONCE, argumentsOf(arguments))
    },
    setInterval(callback: TimeoutCallback, delay?: number) {
      return new Timeout(open(), callback, delay, REPEATS, argumentsOf(arguments))
    },
    clearTimeout(timeout: unknown) {
      clear(timeout, host)
    },
    // Another function, as in Node: some programs wrap or compare them.
    clearInterval(timeout: unknown) {
      clear(timeout, host)
    },
  }
  return family as unknown as Family
}

export function wheelOn(openCore: OpenCore, host: PageHost, globals: Globals): TimerWheelConstructor {
  const openAlarm = workerAlarms(globals)

  return class TimerWheel {
    declare _timers: Scheduler
    declare private readonly _run: RunTo | undefined
    declare private readonly _limits: Limits
    /** Virtual time in milliseconds. */
    declare _time: (() => number) | undefined
    declare readonly name: string
    declare private _promises: TimersPromises | undefined
    declare private readonly _aborts: Aborts
    /** The state bits of each handle. */
    declare private readonly _bits: number

    constructor(options?: TimerWheelOptions) {
      const { tick, budget, driver, maxPending, unref, name } = checkOptions(options)
      this._limits = { _budget: budget, _overruns: 0 }
      if (driver === 'manual') {
        this._run = openVirtualTime(tick, (clock, time) => {
          this._time = time
          this._timers = openScheduler(
            openCore,
            clock,
            () => {},
            () => 0,
          )
          return this._timers
        })
      } else {
        this._timers = drive(
          openCore,
          host,
          tick,
          this._limits,
          driver === 'worker' && !host._isFake ? openAlarm : undefined,
        )
      }
      claimsOf(this, this._timers)
      this.name = name
      this._aborts = new Set()
      this._timers._tick = tick
      if (tick !== 1) this._timers._msOf = (ticks) => msOf(ticks, tick)
      this._bits = unref ? UNREFERENCED : 0
      if (maxPending < FOREVER) limit(this._timers, maxPending, name)
      if (tick !== 1) this._timers._schedule = scaled(this._timers, tick)
    }

    setTimeout(callback: (...args: never[]) => unknown, delay?: unknown) {
      return set(this._timers, callback, delay, this._bits, argumentsOf(arguments))
    }

    setInterval(callback: (...args: never[]) => unknown, delay?: unknown) {
      return set(this._timers, callback, delay, this._bits | REPEATS, argumentsOf(arguments))
    }

    clearTimeout(timeout: unknown): void {
      clear(timeout, host)
    }

    clearInterval(timeout: unknown): void {
      clear(timeout, host)
    }

    schedule(callback: (argument: never) => unknown, delay: number, argument?: unknown): number {
      const { _timers: scheduler } = this
      checkCallback(callback)
      checkDelay(delay)
      return idOf(scheduler, scheduler._schedule(0, callback as Callback, delay, argument))
    }

    cancel(id: number): boolean {
      const { _timers: scheduler } = this
      checkId(id)
      const unit = unitOfId(scheduler, id)
      if (unit) scheduler._cancel(unit)
      return unit > 0
    }

    reschedule(id: number, delay: number): boolean {
      const { _timers: scheduler } = this
      checkId(id)
      checkDelay(delay)
      const unit = unitOfId(scheduler, id)
      if (unit) scheduler._schedule(unit, undefined, delay)
      return unit > 0
    }

    signal(delay: number, options?: TimeoutSignalOptions): TimeoutSignal {
      const { _timers: scheduler } = this
      return timeoutSignalOn(() => scheduler)(delay, options)
    }

    group<T>(onExpire: (item: T) => unknown, delay: number, options?: TimerGroupOptions): TimerGroup<T> {
      const { _timers: scheduler } = this
      return timerGroupOn(() => scheduler)(onExpire, delay, options)
    }

    get now(): number {
      const { _timers: scheduler } = this
      return this._time?.() ?? scheduler._clock() * scheduler._tick!
    }

    pendingTimers(): PendingTimer[] {
      return forProgram(pendingTimersOf(this._timers))
    }

    get pending(): number {
      return this._timers._pending()
    }

    stats(): WheelStats {
      return statsOf(this._timers, this._limits)
    }

    get promises(): TimersPromises {
      const { _timers: scheduler } = this
      this._promises ??= promisesOn(() => scheduler, host, this._aborts)
      return this._promises
    }

    clear(): number {
      const count = clearAll(this._timers)
      for (const abort of this._aborts) abort()
      return count
    }

    [disposeSymbol](): void {
      this.stop()
    }

    stop(): PendingTimer[] {
      const { _timers: scheduler } = this
      // Their timers are not returned: the promises are over.
      for (const abort of this._aborts) abort()
      if (!scheduler._stopped) {
        scheduler._left = pendingTimersOf(scheduler)
        scheduler._end(() => {
          throw wheelStopped()
        })
      }
      // If an interruption skips one of these calls, the next call of stop() makes all of them.
      const left = scheduler._left!
      for (const { timeout } of left) (timeout as Partial<Handle> | undefined)?._keepNumber?.()
      const timers = forProgram(left)
      scheduler._close?.()
      scheduler._giveBack!()
      scheduler._left = []
      return timers
    }

    advance(ms: number): void {
      if (!this._run) throw notManual('advance')
      checkAdvance(ms)
      this._run(ms, FOREVER)
    }

    runAll(limit: number = DEFAULT_LIMIT): void {
      if (!this._run) throw notManual('runAll')
      checkLimit(limit)
      this._run(FOREVER, this.pending + limit)
    }
  } as unknown as TimerWheelConstructor
}
// biome-ignore-end lint/complexity/noArguments: see above
