/**
 * Drives a wheel on WebAssembly, which has no timer of its own, by the host's event loop. An alarm at the next deadline
 * wakes the wheel. Its due timers then run in slices, one in each turn.
 *
 * The flush takes the submissions once for all timers that a stretch of code has set: in a microtask. Async hooks see
 * microtasks. So while there are hooks, an alarm that they do not see runs the flush in the next turn: that costs 4 us more.
 */
import { FOREVER } from '../../common/forever.js'
import type { Core } from '../../memory/core.js'
import { ARMED, HELD, KEEPS_LOOP_ALIVE, REFERENCED, RETAINED } from '../../memory/layout.js'
import type { Alarm, Host, OpenAlarm } from '../host/host.js'
import { Backend, type Client, expireAt } from './backend.js'
import { HostAlarm } from './host-alarm.js'
import { OverdueTick } from './overdue-tick.js'
import { needStack } from './stack.js'
import { Turns } from './turns.js'
import { delayOf, heldOf } from './wheel-words.js'

const resolved = Promise.resolve()
/** Milliseconds after which a flush that has not run is queued again: a `vm` timeout drops queued microtasks. */
const LOST = 5
/** The number of releases of the event loop in a turn that happen at once. After that, a microtask does it. */
const MOST_RELEASES = 64

export class EventLoopBackend extends Backend {
  readonly #host: Host
  readonly #tick: number
  readonly #client: Client
  readonly #turns: Turns
  readonly #alarm: Alarm
  readonly #origin: number
  /** When the alarm is due, on the host's clock. */
  #alarmDue = FOREVER
  /** A slice is running. It ends with a flush of all that its callbacks and their microtasks set. */
  #isInSlice = false
  /** The turn of the last slice, if the host counts turns. */
  #sliceTurn: number | undefined
  #flushing = false
  /** When the flush was queued, on the host's clock. */
  #askedAt = 0
  #closed = false
  /** Runs the flush in the next turn, unseen by async hooks; undefined if the host has no such alarm. */
  readonly #flusher: Alarm | undefined
  readonly #overdue = new OverdueTick()
  #isQuiet = false
  #releases = MOST_RELEASES
  #releasesLater = false
  /** Undefined while `#holdAll` runs. So if it is interrupted, the next call does all of it again. */
  #isHeld: boolean | undefined = true

  constructor(core: Core, host: Host, tick: number, client: Client, openAlarm?: OpenAlarm) {
    super(core)
    this.#host = host
    this.#tick = tick
    this.#client = client
    this.#turns = new Turns(host, this.#onTurn)
    this.#alarm = openAlarm?.(this.#onAlarm) ?? new HostAlarm(host, this.#onAlarm)
    this.#flusher = openAlarm?.(this.#onFlusher)
    this.#origin = host.now()
  }

  now(): number {
    const now = this.#host.now()
    if (!this.#isInSlice) this.#flushLater(now)
    return this.#ticksAt(now)
  }

  #ticksAt(now: number): number {
    return (now - this.#origin) / this.#tick
  }

  override fileSubmissions(now: number): void {
    this.#overdue.file(this.core, now)
  }

  override expire(advanced: number): number {
    const now = this.now()
    return expireAt(this.core, advanced, now, this.#overdue.dueAt(now, this.core))
  }

  hold(held: number): void {
    this.#flushLater(this.#host.now())
    if (this.#isQuiet) needStack()
    this.core.words[HELD] = held
    if (this.#isQuiet) this.#holdAll(held === KEEPS_LOOP_ALIVE)
  }

  idle(): void {
    if (!this.#flushing) this.#flushLater(this.#host.now())
    if (!this.#isQuiet) return
    needStack()
    if (this.#releases > 0) {
      this.#releases--
      this.core.words[HELD] = RETAINED
      this.#holdAll(false)
    } else if (!this.#releasesLater) {
      resolved.then(this.#release)
      this.#releasesLater = true
    }
  }

  override hostResources(): string[] {
    return [this.#alarm, this.#flusher, this.#turns].flatMap((one) => one?.resources() ?? [])
  }

  /** In a microtask: Node loses timers of the program if an interruption hits its `clearTimeout`. */
  close(): void {
    this.#closed = true
    resolved.then(this.#closeAlarms)
  }

  readonly #closeAlarms = (): void => {
    this.#alarm.close()
    this.#flusher?.close()
  }

  // In this order: after an interruption in between, the next call queues the flush again.
  #flushLater(now: number): void {
    if (this.#isInSlice || (this.#flushing && now - this.#askedAt < LOST)) return
    const quiet = this.#host.hasAsyncHooks() ? this.#flusher : undefined
    this.#isQuiet = quiet !== undefined
    if (quiet === undefined) resolved.then(this.#flush)
    else {
      needStack()
      quiet.set(now)
    }
    this.#flushing = true
    this.#askedAt = now
  }

  readonly #release = (): void => {
    const { words } = this.core
    this.#releasesLater = false
    if (this.#closed) return
    words[HELD] = heldOf(words)
    this.#holdAll()
  }

  #holdAll(isHeld = this.core.words[REFERENCED]! > 0): void {
    if (isHeld === this.#isHeld) return
    this.#isHeld = undefined
    this.#alarm.hold(isHeld)
    this.#turns.hold(isHeld)
    this.#flusher?.hold(isHeld)
    this.#isHeld = isHeld
  }

  readonly #flush = (): void => {
    this.#flushing = false
    if (!this.#closed) this.#settle(false)
  }

  /** Does the work of a flush. @param afterSlice whether a slice has just ended */
  #settle(afterSlice: boolean): void {
    const now = this.#host.now()
    const ticks = this.#ticksAt(now)
    this.closeEpoch(this.#client, ticks)
    this.#releases = MOST_RELEASES
    this.core.words[HELD] = heldOf(this.core.words)
    this.#arm(now, afterSlice)
  }

  #arm(now: number, afterSlice: boolean): void {
    const { words } = this.core
    if (words[ARMED] !== 0) {
      const delay = delayOf(words, this.#ticksAt(now), this.#tick)
      if (delay === 0 || this.#overdue.isKnown) this.#startSoon(now, delay, afterSlice)
      // An earlier alarm stays: it finds nothing due, and is set again.
      else this.#setAlarm(now + delay)
    }
    this.#holdAll()
  }

  #setAlarm(due: number): void {
    if (due >= this.#alarmDue) return
    this.#alarm.set(due)
    this.#alarmDue = due
  }

  /**
   * Something is due already: the program has worked on after it set the timer. Node runs such a timer in the next phase of
   * timers, before the immediates. So does a quiet alarm without a delay. A host's timer would take a millisecond.
   */
  #startSoon(now: number, delay: number, afterSlice: boolean): void {
    if (this.#isRunning()) return
    // The alarm could fire in the phase of timers that runs now. Then no other work would get its turn.
    // Asked only after a slice: Node loads several modules for the first answer.
    const isTooSoon = afterSlice || (this.#sliceTurn !== undefined && this.#sliceTurn === this.#host.turn?.())
    if (this.#flusher === undefined || (isTooSoon && !this.#host.hasAsyncHooks())) this.#turns.request(false)
    // Async hooks would see an immediate.
    else this.#setAlarm(isTooSoon ? now + Math.min(delay || 1, 1) : now)
  }

  /** Whether a slice runs now or is requested for the next turn. */
  #isRunning(): boolean {
    return this.#isInSlice || this.#turns.isComing
  }

  readonly #onFlusher = (): void => {
    if (!this.#flusher!.fired()) return
    try {
      this.#flush()
      // The timers that this flush finds due run in this phase of timers. The alarm would fire in the next one.
      if (this.#alarmDue <= this.#host.now()) this.#onAlarm()
    } finally {
      this.#flusher!.ended?.()
    }
  }

  // The host calls these two functions, and each calls `dispatch` itself: V8 keeps a fixed number of stack frames, and a
  // frame below `dispatch` takes the place of one of the program's.

  readonly #onAlarm = (): void => {
    if (!this.#alarm.fired()) return
    this.#alarmDue = FOREVER
    let starts = false
    // If a callback throws, the rest is still to be run.
    let more = true
    try {
      starts = !this.#closed && this.#startSlice()
      if (starts) more = this.#client.dispatch()
    } finally {
      this.#endAlarm(starts, more)
    }
  }

  #endAlarm(started: boolean, more: boolean): void {
    try {
      if (started) this.#endSlice(more)
    } finally {
      this.#alarm.ended?.()
    }
  }

  /** Returns whether a slice starts now. If not, sets the alarm again. */
  #startSlice(): boolean {
    // The rest of the last slice runs in a coming turn.
    const isRunning = this.#isRunning()
    const waits = isRunning || this.#hasToWait()
    if (isRunning) this.#arm(this.#host.now(), false)
    else if (waits) this.#setAlarm(this.#host.now() + 1)
    else this.#isInSlice = true
    return !waits
  }

  readonly #onTurn = (): void => {
    const isRest = this.#turns.started()
    if (this.#closed) return
    if (!isRest && this.#hasToWait()) return this.#setAlarm(this.#host.now() + 1)
    let more = true
    this.#isInSlice = true
    try {
      more = this.#client.dispatch()
    } finally {
      this.#endSlice(more)
    }
  }

  /**
   * Whether this wheel must not start in this turn. The rest of another wheel's slice keeps the event loop turning. Timers
   * without a reference must not start in such turns: they could leave a rest as well, and the process would never end.
   */
  #hasToWait(): boolean {
    if (!Turns.restHasRun && Turns.rests === 0) return false
    const hasToWait = this.core.words[REFERENCED] === 0 && !this.#host.isAliveBut(Turns.rests)
    if (!hasToWait) Turns.restHasRun = false
    return hasToWait
  }

  #endSlice(more: boolean): void {
    this.#isInSlice = false
    if (this.#closed) return
    this.#sliceTurn = this.#host.turn?.()
    if (more) this.#turns.request(true)
    this.#flushing = false
    // If more is due already, this starts a new run.
    this.#settle(true)
  }
}
