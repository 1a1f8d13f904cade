/** The functions of Node's `timers/promises`, on the shared wheel or another. */
import type { Timeout as Handle } from '../api/timeout.js'
import type { Scheduler, TimerOptions, TimersPromises } from '../api/timers-promises.js'
import { promisedIntervalOn } from '../common/promised-interval.js'
import { ONCE, REPEATS, type TimeoutConstructor } from './handles/state.js'
import type { Host } from './host/host.js'
import { AbortError, checkPromised } from './host/node-checks.js'
import { onDemand } from './on-demand/load.js'
import type { Scheduler as WheelScheduler } from './scheduler/scheduler.js'

/** Fulfils a promise. */
type Resolve = (value: unknown) => void

const NO_OPTIONS: TimerOptions = Object.freeze({})

/** The `resolve` of the promise that is being made. A closure for each promise would cost more than its timer. */
let made: Resolve | undefined

function take(resolve: Resolve): void {
  made = resolve
}

/** Calls `abort` if the signal is aborted before the promise settles. Returns the promise. */
function listening<T>(promise: Promise<T>, signal: AbortSignal, abort: () => void): Promise<T> {
  const stop = () => signal.removeEventListener('abort', abort)
  // The empty calls of `then` make it settle after as many microtasks as a promise of Node.
  const result = promise.then().finally(stop).then()
  signal.addEventListener('abort', abort)
  return result
}

/** @param ref the option of the promise; undefined: that of the wheel holds */
function setReference(timeout: Handle, ref: boolean | undefined): void {
  if (ref === false) timeout.unref()
  else if (ref === true) timeout.ref()
}

/**
 * @param Timeout the class of the wheel's handles
 * @param open opens the wheel
 * @param aborts of a wheel of the program: gets the functions that reject the pending promises, because the wheel can be cleared
 */
export function promisesOn(
  host: Host,
  Timeout: TimeoutConstructor,
  open: () => WheelScheduler,
  aborts?: Set<() => void>,
): TimersPromises {
  // The handles of the shared wheel find it by themselves.
  const own = aborts === undefined ? undefined : open()

  function setTimeout<T = void>(delay?: number, value?: T, options: TimerOptions = NO_OPTIONS): Promise<T> {
    if (
      aborts !== undefined ||
      options !== NO_OPTIONS ||
      (delay !== undefined && typeof delay !== 'number')
    ) {
      return setTimeoutWith(delay, value, options)
    }
    made = undefined
    const promise = new Promise<unknown>(take) as Promise<T>
    const resolve = made as Resolve | undefined
    made = undefined
    // A stack overflow kept `take` from running. It has rejected the promise.
    if (resolve === undefined) return promise
    new Timeout(resolve, delay, ONCE, [value])
    return promise
  }

  function setTimeoutWith<T>(
    delay: number | undefined,
    value: T | undefined,
    options: TimerOptions,
  ): Promise<T> {
    try {
      checkPromised(delay, options)
    } catch (error) {
      return Promise.reject(error)
    }
    const { signal, ref } = options
    if (signal?.aborted) return Promise.reject(new AbortError(signal))
    let resolve!: Resolve
    let reject!: (error: unknown) => void
    const promise = new Promise<unknown>((resolvePromise, rejectPromise) => {
      resolve = resolvePromise
      reject = rejectPromise
    }) as Promise<T>
    let isPending = true
    const run: Resolve = (value) => {
      isPending = false
      aborts?.delete(abort)
      resolve(value)
    }
    let timeout: Handle
    try {
      timeout = new Timeout(run, delay, ONCE, [value], own)
    } catch (error) {
      // The call was interrupted, or memory ran out, because the shared wheel has no limit and never stops.
      if (aborts === undefined) throw error
      return Promise.reject(error)
    }
    setReference(timeout, ref)
    const abort = () => {
      // The promise keeps its listener until its reactions have run.
      if (!isPending) return
      timeout.close()
      reject(new AbortError(signal))
      aborts?.delete(abort)
    }
    aborts?.add(abort)
    if (signal === undefined) return promise
    return listening(promise, signal, abort)
  }

  const setInterval = promisedIntervalOn(
    checkPromised,
    (callback, delay, ref) => {
      const interval = new Timeout(callback, delay, REPEATS, undefined, own)
      try {
        setReference(interval, ref)
      } catch (error) {
        // A stack overflow: nothing else can end this interval.
        interval.close()
        throw error
      }
      return interval
    },
    (signal) => new AbortError(signal),
    aborts,
  )
  const setImmediate = host.promisedImmediate
  return { setTimeout, setImmediate, setInterval, scheduler: schedulerOf(setTimeout, setImmediate) }
}

/** Marks the only instance of `Scheduler`, as Node marks its own. */
const kScheduler: unique symbol = Symbol('kScheduler')

function schedulerOf(
  setTimeout: TimersPromises['setTimeout'],
  setImmediate: TimersPromises['setImmediate'],
): Scheduler {
  // A class without a name of its own, which the build would change: the package has another class of this name.
  const { Scheduler } = {
    Scheduler: class {
      declare readonly [kScheduler]: true

      constructor() {
        throw onDemand().illegalConstructor()
      }

      yield(): Promise<void> {
        if (!this[kScheduler]) throw onDemand().invalidThis('Scheduler')
        return setImmediate()
      }

      wait(delay: number, options?: TimerOptions): Promise<void> {
        if (!this[kScheduler]) throw onDemand().invalidThis('Scheduler')
        return setTimeout(delay, undefined, options)
      }
    },
  }
  return Object.assign(Object.create(Scheduler.prototype) as Scheduler, { [kScheduler]: true as const })
}
