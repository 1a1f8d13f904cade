/** One wheel under test, with all that the program knows of it, and what must hold. */
import { blame, Crowd, OVER, PENDING, UNKNOWN } from './timers.mjs'

/** Timers that are over are kept, so many, for calls with stale handles and ids. */
const STALE = 200

export class Subject {
  /**
   * @param {object} library the package
   * @param {object | undefined} options of `TimerWheel`; left out: the wheel that the program shares
   */
  constructor(name, library, options) {
    this.name = name
    this.library = library
    this.isManual = options?.driver === 'manual'
    this.isShared = options === undefined
    this.tick = options?.tick ?? 1
    this.wheel = options === undefined ? library : new library.TimerWheel(options)
    this.timers = []
    /** How many of them are intervals, about. */
    this.intervals = 0
    this.crowd = new Crowd(this)
    /** Virtual time lies between these. */
    this.earliestNow = 0
    this.latestNow = 0
    /** A call of `advance` or `runAll` has begun and has not returned. */
    this.isAdvancing = false
    /** The timer whose callback runs. */
    this.running = undefined
    /** So many timers may have been taken off the wheel by interrupted calls of `advance` that had not called them yet. */
    this.mayLack = 0
    /** So many intervals were interrupted in their callbacks, and go on with the next call of `advance`. */
    this.awaited = 0
    /** Nothing new is set. */
    this.isDraining = false
    /** A call of `stop` has begun; has returned. */
    this.isEnding = false
    this.isStopped = false
  }

  get pending() {
    return this.wheel.pending
  }

  count(state) {
    let count = 0
    for (const timer of this.timers) if (timer.state === state) count++
    return count
  }

  /** To be called after an interruption. */
  settle() {
    if (this.isAdvancing && this.running === undefined) this.mayLack++
    // It is pending again from the next call of `advance` on.
    if (this.isAdvancing && this.running?.repeats) this.awaited = 1
    this.isAdvancing = false
    this.running = undefined
  }

  /** As many timers are pending as the program knows of. */
  checkCount(when) {
    if (this.isShared || this.isEnding) return
    const known = this.count(PENDING)
    const least = known - this.mayLack - this.awaited + this.crowd.least
    const most = known + this.count(UNKNOWN) + this.crowd.most
    const { pending } = this
    if (pending >= least && pending <= most) return
    blame(this, `${when} ${pending} timers are pending, expected ${least} to ${most}`)
  }

  /** Takes a timer that should have run for one of those that an interrupted `advance` has taken off the wheel. */
  lacks(timer) {
    if (this.mayLack === 0 || timer.repeats) return false
    this.mayLack--
    timer.state = OVER
    timer.isCleared = true
    timer.handle = undefined
    timer.id = undefined
    return true
  }

  /** On a manual wheel: all that has come due has run. */
  checkRun() {
    for (const timer of this.timers) {
      if (timer.state !== PENDING || timer.latest > this.earliestNow || this.lacks(timer)) continue
      blame(this, `did not run by ${this.earliestNow} ms, due at ${timer.latest} ms: ${timer.describe()}`)
    }
  }

  /** Forgets the timers that are over, but the last of them. */
  forget() {
    let stale = 0
    for (let i = this.timers.length - 1; i >= 0; i--) {
      const timer = this.timers[i]
      const isDone = timer.state === OVER && (timer.handle !== undefined || timer.id !== undefined)
      if (timer.state === PENDING || timer.state === UNKNOWN || (isDone && stale++ < STALE)) continue
      timer.isForgotten = true
      this.timers[i] = undefined
    }
    this.timers = this.timers.filter((timer) => timer !== undefined)
    this.intervals = this.timers.filter(({ repeats, state }) => repeats && state !== OVER).length
  }
}
