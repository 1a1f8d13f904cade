/** The class `TimerWheel` of all hosts. It checks arguments, and calls the kernel. */
import type { TimerGroup, TimerGroupOptions } from '../api/group.js'
import type { MakeTimeoutSignal, TimeoutSignal, TimeoutSignalOptions } from '../api/signal.js'
import type { WheelStats } from '../api/stats.js'
import type { PageTimeout } from '../api/timeout.js'
import type { PromisedImmediate, TimersPromises } from '../api/timers-promises.js'
import type { PendingTimer, TimerWheelConstructor, TimerWheelOptions } from '../api/wheel.js'
import {
  type CheckedOptions,
  type CheckedSetOptions,
  checkAdvance,
  checkCallback,
  checkDelay,
  checkId,
  checkLimit,
  checkOptions,
  checkSetOptions,
} from '../common/checks.js'
import { DEFAULT_LIMIT, FOREVER, ONCE, REPEATS } from '../common/constants.js'
import { notAWheel, notManual } from '../common/errors.js'
import { type Aborts, promisesOn } from '../common/promises.js'
import { disposeSymbol } from '../common/symbols.js'
import { callbacksOf } from '../kernel/callbacks.js'
import type { Kernel } from '../kernel/kernel.js'
import type { Callbacks } from '../kernel/target.js'
import { clearAll, stopWheel } from './ends.js'
import { timerGroupOn } from './group.js'
import { limit } from './limit.js'
import { pendingTimersOf, statsOf } from './looks.js'
import type { VirtualTime } from './virtual-time.js'
import { nowOf, type Wheel } from './wheel.js'

type Callback = (...args: never[]) => unknown
/** The arguments of a callback. Without any, there is no array. */
type Args = unknown[] | undefined

/** Sets a timer whose handle is the host's. */
export type MakeHandle = (
  kernel: Kernel,
  callback: Callback,
  delay: unknown,
  bits: number,
  args: Args,
  options?: CheckedSetOptions | undefined,
) => PageTimeout

/** What the class needs of its host. */
export interface WheelHost {
  /** Opens a wheel, and says what makes its handles and signals. @throws RangeError if there is no memory for it */
  _open(options: CheckedOptions): [wheel: Wheel, make: MakeHandle, signal: MakeTimeoutSignal]
  /** Clears a timer of any wheel, or of the host. */
  _clear(timeout: unknown): void
  readonly _setImmediate: PromisedImmediate
}

const wheels = /* @__PURE__ */ new WeakMap<object, Wheel>()

/** Returns what is behind a wheel of the program. @throws TypeError if it is not a wheel */
export function wheelOf(wheel: unknown): Wheel {
  const found = wheels.get(wheel as object)
  if (!found) throw notAWheel(wheel)
  return found
}

function virtualOf(wheel: unknown, method: string): VirtualTime {
  const { _virtual } = wheelOf(wheel)
  if (!_virtual) throw notManual(method)
  return _virtual
}

/** The class of the wheels of a host. */
export function timerWheelClass(host: WheelHost): TimerWheelConstructor {
  class TimerWheel {
    readonly #kernel: Kernel
    readonly #callbacks: Callbacks
    readonly #make: MakeHandle
    readonly #signal: MakeTimeoutSignal
    #promises: TimersPromises | undefined
    readonly #aborts: Aborts = new Set()

    constructor(options?: TimerWheelOptions) {
      const checked = checkOptions(options)
      const [wheel, make, signal] = host._open(checked)
      this.#signal = signal
      this.#kernel = wheel._kernel
      this.#callbacks = callbacksOf(wheel._kernel)
      limit(wheel._kernel, checked.maxPending, checked.name)
      this.#make = make
      wheels.set(this, wheel)
    }

    // biome-ignore-start lint/complexity/noArguments: an array of rest parameters would be made by each call
    setTimeout(callback: Callback, delay?: unknown): PageTimeout {
      if (!this) wheelOf(this)
      if (arguments.length > 2) return this.#setTimeoutWith.apply(this, arguments as never)
      return this.#set(callback, delay, ONCE, undefined)
    }
    // biome-ignore-end lint/complexity/noArguments: see above

    #setTimeoutWith(callback: Callback, delay: unknown, ...args: unknown[]): PageTimeout {
      return this.#set(callback, delay, ONCE, args)
    }

    setInterval(callback: Callback, delay?: unknown, ...all: unknown[]): PageTimeout {
      if (!this) wheelOf(this)
      return this.#set(callback, delay, REPEATS, all.length > 0 ? all : undefined)
    }

    /** Sets a timer. @param delay a delay, or options */
    #set(callback: Callback, delay: unknown, bits: number, args: Args): PageTimeout {
      const options = typeof delay === 'object' ? checkSetOptions(delay, bits === REPEATS) : undefined
      return this.#make(this.#kernel, callback, delay, bits, args, options)
    }

    clearTimeout(timeout: unknown): void {
      host._clear(timeout)
    }

    clearInterval(timeout: unknown): void {
      host._clear(timeout)
    }

    schedule(callback: (argument: never) => unknown, delay: number, argument?: unknown): number {
      if (!this) wheelOf(this)
      checkCallback(callback)
      checkDelay(delay)
      return this.#kernel._numberOf(this.#callbacks._schedule(callback as never, delay, argument))
    }

    cancel(id: number): boolean {
      if (!this) wheelOf(this)
      checkId(id)
      const unit = this.#callbacks._find(id)
      if (unit) this.#callbacks._cancel(unit)
      return unit > 0
    }

    reschedule(id: number, delay: number): boolean {
      if (!this) wheelOf(this)
      checkId(id)
      checkDelay(delay)
      const unit = this.#callbacks._find(id)
      if (unit) this.#kernel._move(unit, delay)
      return unit > 0
    }

    get name(): string {
      return wheelOf(this)._name
    }

    signal(delay: number, options?: TimeoutSignalOptions): TimeoutSignal {
      if (!this) wheelOf(this)
      return this.#signal(delay, options)
    }

    group<T>(onExpire: (item: T) => unknown, delay: number, options?: TimerGroupOptions): TimerGroup<T> {
      return timerGroupOn(() => wheelOf(this)._kernel)(onExpire, delay, options)
    }

    get now(): number {
      return nowOf(wheelOf(this))
    }

    pendingTimers(): PendingTimer[] {
      return pendingTimersOf(wheelOf(this))
    }

    get pending(): number {
      return wheelOf(this)._kernel._pending()
    }

    stats(): WheelStats {
      return statsOf(wheelOf(this))
    }

    get promises(): TimersPromises {
      this.#promises ??= promisesOn(this, host._setImmediate, this.#aborts)
      return this.#promises
    }

    clear(): number {
      const count = clearAll(wheelOf(this))
      for (const abort of this.#aborts) abort()
      return count
    }

    [disposeSymbol](): void {
      this.stop()
    }

    stop(): PendingTimer[] {
      const wheel = wheelOf(this)
      // Their timers are not returned: the promises are over.
      for (const abort of this.#aborts) abort()
      return stopWheel(wheel)
    }

    advance(ms: number): void {
      const time = virtualOf(this, 'advance')
      checkAdvance(ms)
      time._run(ms, FOREVER)
    }

    runAll(limit: number = DEFAULT_LIMIT): void {
      const time = virtualOf(this, 'runAll')
      checkLimit(limit)
      time._run(FOREVER, this.pending + limit)
    }
  }
  return TimerWheel as unknown as TimerWheelConstructor
}
