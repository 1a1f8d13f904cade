/**
 * The state of each timer as the program knows it.
 *
 * The code that keeps this state is interrupted as the library is. So each operation writes `UNKNOWN` before it calls the
 * library and the outcome after the call has returned, and no write needs a call.
 */
import { performance } from 'node:perf_hooks'

/** Not set yet. */
export const NEW = 0
/** A call that sets or clears it has begun and has not returned: it is pending or not, and may still run once. */
export const UNKNOWN = 1
export const PENDING = 2
/** Has run, or is cleared. */
export const OVER = 3

/** The library takes times from another reading of the same clock, and adds and subtracts fractions. */
const ROUNDING = 1e-6

export const found = {
  /** The first fault. */
  fault: undefined,
}

/** Notes a fault. It is reported later: here the stack may be at its end. */
export function blame(subject, text) {
  if (found.fault === undefined) found.fault = `${subject.name}: ${text}`
}

export class Timer {
  /** @param {'timeout' | 'interval' | 'id' | 'promise'} kind */
  constructor(subject, kind) {
    this.subject = subject
    this.kind = kind
    this.repeats = kind === 'interval'
    this.state = NEW
    /** Calls that set it have begun so often. */
    this.arms = 0
    this.fired = 0
    /** The delay lies between these: an interrupted call may have changed it. */
    this.least = 0
    this.most = 0
    /** Before this time it is early; at `latest` it is due. On a manual wheel in virtual time. */
    this.earliest = 0
    this.latest = 0
    /** The run of an interval that is under way, or was the last, began no earlier. */
    this.started = 0
    this.isCleared = false
    /** Nobody follows it any more: it is not set again. */
    this.isForgotten = false
    /** A call that clears it has begun and has not returned. */
    this.isClearing = false
    this.handle = undefined
    this.id = undefined
    this.number = undefined
    this.promise = undefined
    this.controller = undefined
    /** What the callback does. */
    this.action = undefined
    this.callback = callbackOf(this)
  }

  describe() {
    const { kind, state, least, most, arms, fired } = this
    const named = ['new', 'unknown', 'pending', 'over'][state]
    return `${kind} of ${least}${most === least ? '' : `-${most}`} ms (${named}, set ${arms} times, ran ${fired} times)`
  }
}

function callbackOf(timer) {
  const { subject } = timer
  return function (argument) {
    // In this order and without a call: each step may be the last one.
    const before = timer.state
    if (!timer.repeats) timer.state = OVER
    timer.fired++
    subject.running = timer
    ran(timer, before, this, argument)
    subject.running = undefined
  }
}

function ran(timer, before, handle, argument) {
  const { subject } = timer
  if (subject.isStopped) blame(subject, `ran after stop(): ${timer.describe()}`)
  if (before === OVER || before === NEW) blame(subject, `ran when it was over: ${timer.describe()}`)
  if (!timer.repeats && timer.fired > timer.arms) blame(subject, `ran too often: ${timer.describe()}`)
  const ahead = timer.earliest - (subject.isManual ? subject.latestNow : performance.now())
  if (ahead > ROUNDING) blame(subject, `ran ${ahead} ms early: ${timer.describe()}`)
  // An interrupted call may not have come to the argument.
  if (timer.kind !== 'timeout' && argument !== timer && before === PENDING) {
    blame(subject, `ran without its argument: ${timer.describe()}`)
  }
  if (timer.repeats) {
    if (before === UNKNOWN) {
      handle.close()
      timer.state = OVER
      timer.isCleared = true
    } else {
      timer.started = timer.earliest
      timer.earliest += timer.least
      const now = subject.isManual ? subject.latestNow : performance.now()
      timer.latest = now + timer.most + 2 * subject.tick
    }
  }
  if (timer.action !== undefined) timer.action()
}

/** Timers that the program sets in masses and does not tell from each other. */
export class Crowd {
  constructor(subject) {
    /** Calls that have begun, and that have returned. */
    this.begun = 0
    this.set = 0
    this.clearBegun = 0
    this.cleared = 0
    this.fired = 0
    this.callback = () => {
      this.fired++
      if (subject.isStopped) blame(subject, 'a timer of the crowd ran after stop()')
      if (this.fired > this.begun - this.cleared) blame(subject, 'more timers of the crowd ran than were set')
    }
  }

  /** The fewest and the most that can be pending. */
  get least() {
    return Math.max(0, this.set - this.clearBegun - this.fired)
  }

  get most() {
    return this.begun - this.cleared - this.fired
  }
}
