/**
 * The program's knowledge of each timer. An interruption can also hit the code that updates it. So each operation writes `UNKNOWN` before
 * it calls the library, and the outcome after the call returns. No write needs a call.
 */
import { performance } from 'node:perf_hooks'

/** Not set yet. */
export const NEW = 0
/** A call that sets or clears it has begun and has not returned. It may be pending, and may still run once. */
export const UNKNOWN = 1
export const PENDING = 2
/** It has run or is cleared. */
export const OVER = 3

/** The library reads the same clock at another moment, and adds and subtracts fractions. */
const ROUNDING = 1e-6

/** `fault`: the first one. */
export const found = { fault: undefined }

/** Notes a fault for a later report: the stack may be at its end here. */
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
    /** The number of calls to set it that have begun. */
    this.arms = 0
    this.fired = 0
    /** The delay lies between these two: an interrupted call may have changed it. */
    this.least = 0
    this.most = 0
    /** It must not run before `earliest`, and is due at `latest`. Virtual time on a manual wheel. */
    this.earliest = 0
    this.latest = 0
    /** The earliest time at which the present or last run of an interval began. */
    this.started = 0
    this.isCleared = false
    /** Whether the program has forgotten it, and never sets it again. */
    this.isForgotten = false
    /** Whether a call that clears it has begun and has not returned. */
    this.isClearing = false
    this.handle = undefined
    this.id = undefined
    this.number = undefined
    this.promise = undefined
    this.controller = undefined
    /** The action of the callback. */
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
    // The order matters, and no step may need a call: each step may be the last one.
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
  const now = subject.isManual ? subject.latestNow : performance.now()
  const ahead = timer.earliest - now
  if (ahead > ROUNDING) blame(subject, `ran ${ahead} ms early: ${timer.describe()}`)
  // An interrupted call may not have reached the argument.
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
      timer.latest = now + timer.most + 2 * subject.tick
    }
  }
  if (timer.action !== undefined) timer.action()
}

/** Many timers that the program only counts. */
export class Crowd {
  constructor(subject) {
    /** The number of calls that have begun, and that have returned. */
    this.begun = 0
    this.set = 0
    this.fired = 0
    this.callback = () => {
      this.fired++
      if (subject.isStopped) blame(subject, 'a timer of the crowd ran after stop()')
      if (this.fired > this.begun) blame(subject, 'more timers of the crowd ran than were set')
    }
  }

  /** The least and the greatest possible number of pending timers. */
  get least() {
    return Math.max(0, this.set - this.fired)
  }

  get most() {
    return this.begun - this.fired
  }
}
