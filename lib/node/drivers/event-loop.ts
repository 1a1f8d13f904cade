/**
 * Drives a wheel on WebAssembly, which has no timer of its own, by the host's event loop. A timer of the host, the alarm, wakes the wheel
 * when it is needed next. Its due timers then run in slices, one in each turn. While nothing is pending, there is no alarm.
 *
 * The flush, a microtask, ends the turn for the wheel: it carries out what is queued, and sets the alarm.
 */
import { FOREVER, MAX_TIMEOUT } from '../../common/constants.js'
import type { Core, DrivenCore, Driver, OpenCore } from '../../memory/core.js'
import { HELD, KEEPS_LOOP_ALIVE, REFERENCED, RETAINED, UNREFERENCED } from '../../memory/layout.js'
import type { Host, HostTimer } from '../host/node-host.js'
import type { Client } from '../host/platform.js'

const resolved = Promise.resolve()

export function openEventLoop(openCore: OpenCore, host: Host, tick: number, client: Client): Core {
  return new EventLoop(openCore, host, tick, client).core
}

class EventLoop implements Driver {
  readonly core: DrivenCore
  readonly #host: Host
  readonly #client: Client
  #alarm: HostTimer | undefined
  /** When the alarm is due. */
  #alarmDue = FOREVER
  /** The coming turn, which runs a slice. */
  #turn: HostTimer | undefined
  /** The last slice has left due timers. */
  #hasRest = false
  /** A slice is running. It ends with a flush of all that its callbacks and their microtasks set. */
  #isInSlice = false
  #isFlushRequested = false
  /** Whether the alarm and the coming turn keep the program alive. */
  #isHeld = true // As those of Node when they are set.
  #isClosed = false

  constructor(openCore: OpenCore, host: Host, tick: number, client: Client) {
    this.#host = host
    this.#client = client
    this.core = openCore(tick, this)
  }

  _now(): number {
    return this.#host.now()
  }

  _applied(): void {
    this.#flushLater()
  }

  /** At once, so that the kernel does not call again. The flush writes whether a timer has a reference. */
  _hold(): void {
    this.#flushLater()
    this.core.words[HELD] = KEEPS_LOOP_ALIVE
  }

  /** The flush releases the event loop, because code that sets and clears in a loop must not call the host each time. */
  _release(): void {
    this.#flushLater()
  }

  /** The coming turn sees that the wheel is closed. In a microtask: Node loses timers of the program if a `vm` time limit ends its `clearTimeout`. */
  _close(): void {
    this.#isClosed = true
    resolved.then(() => this.#clearAlarm())
  }

  #flushLater(): void {
    if (this.#isInSlice || this.#isFlushRequested) return
    resolved.then(this.#flush)
    this.#isFlushRequested = true
  }

  readonly #flush = (): void => {
    this.#isFlushRequested = false
    if (!this.#isClosed) this.#endTurn()
  }

  /** Carries out what is queued, and makes sure that the wheel is woken for it. */
  #endTurn(): void {
    const { words } = this.core
    const wake = this.core._endTurn()
    // Undefined: the growth of the memory was interrupted. The next slice takes the new views.
    const isHeld = words[REFERENCED] !== 0
    words[HELD] = isHeld ? KEEPS_LOOP_ALIVE : words[UNREFERENCED]! > 0 ? RETAINED : 0
    this.#holdAll(isHeld)
    const now = this.#host.now()
    if (words[HELD] === 0) this.#clearAlarm()
    else if (this.#hasRest || wake <= now) this.#requestTurn()
    else this.#setAlarm(wake, now)
  }

  /** @param now a time before `wake`, because Node warns of a negative delay */
  #setAlarm(wake: number, now: number): void {
    const due = Math.min(wake, now + MAX_TIMEOUT)
    // An earlier alarm stays: it finds nothing due, and is set again.
    if (due >= this.#alarmDue || wake === FOREVER) return
    this.#clearAlarm()
    this.#alarm = this.#host.outside(() => this.#host.setTimeout(this.#onAlarm, Math.ceil(due - now)))
    this.#alarmDue = due
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
    this.#beginSlice()
    try {
      this.#hasRest = this.#client.dispatch()
    } finally {
      this.#endSlice()
    }
  }

  readonly #onTurn = (): void => {
    this.#turn = undefined
    if (this.#isClosed) return
    this.#beginSlice()
    try {
      this.#hasRest = this.#client.dispatch()
    } finally {
      this.#endSlice()
    }
  }

  #beginSlice(): void {
    this.#isInSlice = true
    if (!this.#hasRest) this.core._expire()
    // If a callback throws, the rest is still to be run.
    this.#hasRest = true
  }

  #endSlice(): void {
    this.#isInSlice = false
    if (!this.#isClosed) this.#endTurn()
  }
}
