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
}

/** The delay of the timers in the trials, which clear them at once. */
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

class QuietAlarm implements Alarm {
  /** Whether the host has passed the trials. */
  readonly isUsable: boolean
  readonly #host: Host
  readonly #timer: NodeTimer
  #wake: () => void = ignore
  #due = FOREVER
  /** The alarm is set, or the function that it has woken runs. */
  #isActive = false
  #isHeld = true

  constructor(host: Host) {
    const made = host.outside(() => host.setTimeout(() => this.#wake(), SOON))
    this.#host = host
    this.#timer = made as unknown as NodeTimer
    // A pending timer would change the order after an exception: Node would run queued work before the program's next timer.
    host.clearTimeout(made)
    // Test tools that replace timers return numbers or objects of their own.
    this.isUsable = typeof made === 'object' && this.#isRead() && this.#canSetAgain()
    if (this.isUsable) this.#timer.unref()
  }

  #isRead(): boolean {
    let isRead = false
    this.open(() => {
      isRead = true
    })
    // Node takes a timer without a callback for a cleared one. So this call does nothing else.
    this.#host.clearTimeout(this.#timer as unknown as HostTimer)
    return isRead
  }

  /** Whether the cleared timer can be set again. Clears it after that, because an import must leave no timer pending. */
  #canSetAgain(): boolean {
    const timer = this.#timer
    timer._idleTimeout = SOON
    timer.refresh()
    const isSet = timer._idleNext !== null
    Reflect.defineProperty(timer, '_onTimeout', { value: ignore, writable: true, configurable: true })
    this.#host.clearTimeout(timer as unknown as HostTimer)
    return isSet
  }

  /**
   * Sets the function that the alarm wakes. The getter is the function itself, because each function in between would show in the
   * stack traces of the program. It calls `fired` first and `ended` last.
   */
  open(wake: () => void): this {
    this.#wake = wake
    Reflect.defineProperty(this.#timer, '_onTimeout', { get: wake, set: ignore, configurable: true })
    return this
  }

  set(due: number): void {
    const timer = this.#timer
    this.#due = due
    this.#isActive = true
    const delay = coarse(Math.min(Math.max(Math.ceil(due - this.#host.now()), 0), MAX_HOST_DELAY))
    timer._destroyed = false
    timer._idleTimeout = delay
    timer.refresh()
    this.#holdTimer(this.#isHeld)
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (this.#isActive) this.#holdTimer(isHeld)
  }

  #holdTimer(isHeld: boolean): void {
    // Node does not count a destroyed timer.
    this.#timer._destroyed = false
    if (isHeld) this.#timer.ref()
    else this.#timer.unref()
  }

  resources(): string[] {
    return this.#isActive && this.#isHeld ? ['Timeout'] : []
  }

  fired(): boolean {
    this.#timer._destroyed = false
    const due = this.#due
    if (due <= this.#host.now()) {
      this.#due = FOREVER
      return true
    }
    // The timer fires early if its delay was rounded.
    if (due !== FOREVER) this.set(due)
    this.#hideEnd()
    return false
  }

  ended(): void {
    if (this.#due === FOREVER) this.close()
    this.#hideEnd()
  }

  /** Otherwise Node would report to the hooks that the timer is destroyed. */
  #hideEnd(): void {
    this.#timer._destroyed = true
  }

  close(): void {
    this.#due = FOREVER
    this.#isActive = false
    this.#holdTimer(false)
  }
}

/**
 * Opens the two alarms of the shared wheel; undefined if the host's timers cannot be used like this. The first call of the program opens
 * them, and an interruption there could hit the functions of the host's timers. So the timers are made, and all trials are over, when
 * the module is loaded, before the program enables hooks.
 */
export function quietAlarms(host: Host): OpenAlarm | undefined {
  if (!isNode) return undefined
  const alarms = [new QuietAlarm(host), new QuietAlarm(host)]
  if (!alarms.every((alarm) => alarm.isUsable)) return undefined
  let opened = 0
  // After an interruption, the wheel is opened again, with the same alarms.
  return (wake) => alarms[opened++ % alarms.length]!.open(wake)
}
