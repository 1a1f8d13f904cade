/**
 * Drives a wheel on WebAssembly, which has no timer of its own, by the host's event loop. A timer of the host, the alarm, wakes the wheel at
 * the next deadline. Its due timers then run in slices, one in each turn. While nothing is pending, there is no alarm.
 *
 * The flush, a microtask, takes the submissions once for all timers that a stretch of code has set.
 */
import { FOREVER, MAX_TIMEOUT } from '../../common/constants.js'
import type { Core } from '../../memory/core.js'
import { ARMED, HELD, REFERENCED, WAKE } from '../../memory/layout.js'
import type { Host, HostTimer } from '../host/node-host.js'
import { Backend, type Client, heldOf } from './backend.js'

const resolved = Promise.resolve()

export class EventLoopBackend extends Backend {
  readonly #host: Host
  readonly #tick: number
  readonly #client: Client
  readonly #origin: number
  #alarm: HostTimer | undefined
  /** When the alarm is due, on the host's clock. */
  #alarmDue = FOREVER
  /** The coming turn, which runs a slice. */
  #turn: HostTimer | undefined
  /** A slice is running. It ends with a flush of all that its callbacks and their microtasks set. */
  #isInSlice = false
  #isFlushing = false
  #isHeld = true
  #isClosed = false

  constructor(core: Core, host: Host, tick: number, client: Client) {
    super(core)
    this.#host = host
    this.#tick = tick
    this.#client = client
    this.#origin = host.now()
  }

  now(): number {
    this.#flushLater()
    return this.#ticksAt(this.#host.now())
  }

  #ticksAt(now: number): number {
    return (now - this.#origin) / this.#tick
  }

  hold(held: number): void {
    this.#flushLater()
    this.core.words[HELD] = held
  }

  /** The flush releases the event loop: code that sets and clears in a loop must not call the host each time. */
  idle(): void {
    this.#flushLater()
  }

  /** In a microtask: Node loses timers of the program if a `vm` time limit ends its `clearTimeout`. */
  close(): void {
    this.#isClosed = true
    resolved.then(() => this.#clearAlarm())
  }

  #flushLater(): void {
    if (this.#isInSlice || this.#isFlushing) return
    resolved.then(this.#flush)
    this.#isFlushing = true
  }

  readonly #flush = (): void => {
    this.#isFlushing = false
    if (!this.#isClosed) this.#settle()
  }

  /** Files what was set, and makes sure that the wheel is woken for it. */
  #settle(): void {
    const { words } = this.core
    const now = this.#host.now()
    this.closeEpoch(this.#client, this.#ticksAt(now))
    const held = heldOf(words)
    words[HELD] = held
    if (held === 0) this.#clearAlarm()
    else if (words[ARMED] !== 0) this.#arm(now)
    this.#holdAll(words[REFERENCED]! > 0)
  }

  #arm(now: number): void {
    const wake = this.#client.unwrap(this.core.words[WAKE]!)
    const delay = Math.min((wake - this.#ticksAt(now)) * this.#tick, MAX_TIMEOUT)
    if (delay > 0) this.#setAlarm(now, delay)
    else this.#requestTurn()
  }

  #setAlarm(now: number, delay: number): void {
    // An earlier alarm stays: it finds nothing due, and is set again.
    if (now + delay >= this.#alarmDue) return
    this.#clearAlarm()
    this.#alarm = this.#host.outside(() => this.#host.setTimeout(this.#onAlarm, Math.ceil(delay)))
    this.#alarmDue = now + delay
    if (!this.#isHeld) this.#alarm.unref?.()
  }

  #clearAlarm(): void {
    if (this.#alarm !== undefined) this.#host.clearTimeout(this.#alarm)
    this.#alarm = undefined
    this.#alarmDue = FOREVER
  }

  /** Requests a slice in the next turn: something is due already, or left of the last slice. */
  #requestTurn(): void {
    if (this.#turn !== undefined) return
    this.#turn = this.#host.outside(() => this.#host.soon(this.#onTurn))
    if (!this.#isHeld) this.#turn.unref?.()
  }

  /** Sets whether the alarm and the coming turn keep the program alive. */
  #holdAll(isHeld: boolean): void {
    if (isHeld === this.#isHeld) return
    this.#isHeld = isHeld
    for (const timer of [this.#alarm, this.#turn]) {
      if (isHeld) timer?.ref?.()
      else timer?.unref?.()
    }
  }

  // The host calls these two functions, and each calls `dispatch` itself: V8 keeps a fixed number of stack frames, and a
  // frame below `dispatch` takes the place of one of the program's.

  readonly #onAlarm = (): void => {
    this.#alarm = undefined
    this.#alarmDue = FOREVER
    // The rest of the last slice runs in the coming turn.
    if (this.#isClosed || this.#turn !== undefined) return
    this.#isInSlice = true
    // If a callback throws, the rest is still to be run.
    let more = true
    try {
      more = this.#client.dispatch()
    } finally {
      this.#endSlice(more)
    }
  }

  readonly #onTurn = (): void => {
    this.#turn = undefined
    if (this.#isClosed) return
    this.#isInSlice = true
    let more = true
    try {
      more = this.#client.dispatch()
    } finally {
      this.#endSlice(more)
    }
  }

  #endSlice(more: boolean): void {
    this.#isInSlice = false
    if (this.#isClosed) return
    if (more) this.#requestTurn()
    this.#isFlushing = false
    this.#settle()
  }
}
