/**
 * Alarms that async hooks do not see, made of Node's timers. Node reads a timer's `_onTimeout` before it calls the hooks,
 * and skips a timer without one. Here `_onTimeout` is a getter that runs the callback and returns undefined. `refresh()`
 * sets such a timer again without a new resource.
 *
 * The fields are undocumented, and as old as Node's timers. Other runtimes have fields of the same names and use them
 * otherwise: in Deno such a timer never fires, or it fires without end. So these alarms are for Node alone, and a version of
 * Node has to pass two trials. Its `clearTimeout` reads `_onTimeout`, and its `refresh()` sets a cleared timer again. A version
 * that passes both and fires without a read of `_onTimeout` calls the callback.
 */
import { FOREVER } from '../../common/forever.js'
import type { Alarm, Host, HostTimer, OpenAlarm } from '../host/host.js'
import { isNode } from '../host/is-node.js'
import { MAX_HOST_DELAY } from './host-alarm.js'

interface NodeTimer {
  _idleTimeout: number
  _destroyed: boolean
  /** The next timer with the same delay, or the list of such timers; null if this timer is not set. */
  readonly _idleNext: object | null
  refresh(): unknown
  ref(): unknown
  unref(): unknown
  hasRef(): boolean
}

/** The delay of a timer that is no longer used. Node keeps the timer and its realm in memory until the delay has passed. */
const SOON = 1
/** Longer delays are rounded down to 32 values an octave, because Node keeps a list for each delay until it has passed. */
const EXACT = 64

/** Rounds a delay to one of few values, in whole milliseconds. */
function coarse(delay: number): number {
  if (delay <= EXACT) return delay
  const distance = 2 ** (Math.floor(Math.log2(delay)) - 5)
  return delay - (delay % distance)
}

const ignore = (): void => {}

/** A timer for one alarm at a time. An unused timer refers to no alarm, because the alarm would never be collected. */
class QuietTimer {
  /** Whether the host has passed the trials. */
  readonly isUsable: boolean
  readonly #timer: NodeTimer
  #ring: () => void = ignore

  constructor(host: Host) {
    const made = host.outside(() => host.setTimeout(() => this.#ring(), SOON))
    this.#timer = made as unknown as NodeTimer
    // A pending timer would change the order after an exception: Node would run queued work before the program's next timer.
    host.clearTimeout(made)
    // Test tools that replace timers return numbers or objects of their own.
    this.isUsable = typeof made === 'object' && this.#isReadBy(host) && this.#canSetAgain(host)
    if (!this.isUsable) return
    this.use(undefined)
    this.#timer.unref()
  }

  #isReadBy(host: Host): boolean {
    let isRead = false
    this.use(() => {
      isRead = true
    })
    // Node takes a timer without a callback for a cleared one. So this call does nothing else.
    host.clearTimeout(this.#timer as unknown as HostTimer)
    return isRead
  }

  /** Whether the cleared timer can be set again. Clears it after that, because an import must leave no timer pending. */
  #canSetAgain(host: Host): boolean {
    const timer = this.#timer
    timer._idleTimeout = SOON
    timer.refresh()
    const isSet = timer._idleNext !== null
    Reflect.defineProperty(timer, '_onTimeout', { value: ignore, writable: true, configurable: true })
    host.clearTimeout(timer as unknown as HostTimer)
    return isSet
  }

  /**
   * Sets the function that the timer runs; undefined: none. The getter is the function itself, because each function in between
   * would show in the stack traces of the program. It calls `begin` first and `end` last.
   */
  use(ring: (() => void) | undefined): void {
    this.#ring = ring ?? this.#finish
    Reflect.defineProperty(this.#timer, '_onTimeout', { get: this.#ring, set: ignore, configurable: true })
  }

  readonly #finish = (): void => {
    this.begin()
    this.end()
  }

  set(delay: number): void {
    const timer = this.#timer
    timer._destroyed = false
    timer._idleTimeout = delay
    timer.refresh()
  }

  hold(isHeld: boolean): void {
    // Node does not count a destroyed timer.
    this.#timer._destroyed = false
    if (isHeld) this.#timer.ref()
    else this.#timer.unref()
  }

  hasRef(): boolean {
    return this.#timer.hasRef()
  }

  begin(): void {
    this.#timer._destroyed = false
  }

  /** Otherwise Node would report to the hooks that the timer is destroyed. */
  end(): void {
    this.#timer._destroyed = true
  }
}

/**
 * Opens alarms for the shared wheel; undefined if the host's timers cannot be used like this. The first call of the program opens
 * them, and an interruption there could hit the functions of the host's timers. So all trials are over when the module is loaded.
 */
export function quietAlarms(host: Host): OpenAlarm | undefined {
  if (!isNode) return undefined
  // The shared wheel needs two. They are made now, before the program enables hooks.
  const idle = [new QuietTimer(host), new QuietTimer(host)]
  if (!idle.every((timer) => timer.isUsable)) return undefined
  return (wake) => new QuietAlarm(wake, host, idle)
}

class QuietAlarm implements Alarm {
  readonly #wake: () => void
  readonly #host: Host
  /** The timers that no alarm uses. */
  readonly #idle: QuietTimer[]
  #timer: QuietTimer | undefined
  #due = FOREVER
  /** The alarm is set, or the function that it has woken runs. */
  #isActive = false
  #isHeld = true

  constructor(wake: () => void, host: Host, idle: QuietTimer[]) {
    this.#wake = wake
    this.#host = host
    this.#idle = idle
  }

  set(due: number): void {
    this.#timer ??= this.#take()
    const timer = this.#timer
    this.#due = due
    this.#isActive = true
    timer.set(coarse(Math.min(Math.max(Math.ceil(due - this.#host.now()), 0), MAX_HOST_DELAY)))
    timer.hold(this.#isHeld)
  }

  #take(): QuietTimer {
    const timer = this.#idle.pop() ?? new QuietTimer(this.#host)
    timer.use(this.#wake)
    return timer
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (this.#isActive) this.#timer?.hold(isHeld)
  }

  resources(): string[] {
    return this.#isActive && this.#timer?.hasRef() ? ['Timeout'] : []
  }

  fired(): boolean {
    this.#timer?.begin()
    const due = this.#due
    if (due <= this.#host.now()) {
      this.#due = FOREVER
      return true
    }
    // The timer fires early if its delay was rounded.
    if (due !== FOREVER) this.set(due)
    this.#timer?.end()
    return false
  }

  ended(): void {
    if (this.#due === FOREVER) {
      this.#isActive = false
      this.#timer?.hold(false)
    }
    this.#timer?.end()
  }

  close(): void {
    const timer = this.#timer
    if (timer === undefined) return
    const isPending = this.#due !== FOREVER
    this.#due = FOREVER
    this.#isActive = false
    timer.use(undefined)
    if (isPending) timer.set(SOON)
    timer.hold(false)
    this.#timer = undefined
    this.#idle.push(timer)
  }
}
