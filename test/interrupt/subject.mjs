/** One wheel under test, the program's knowledge of it, and the checks. */
import { blame, Crowd, OVER, PENDING, UNKNOWN } from './timers.mjs'

/** The number of finished timers to keep, for calls with stale handles and ids. */
const STALE = 200

export class Subject {
  /**
   * @param {object} library the package
   * @param {object | undefined} options the options of `TimerWheel`; undefined for the shared wheel
   */
  constructor(name, library, options) {
    this.name = name
    this.library = library
    this.isManual = options?.driver === 'manual'
    this.isShared = options === undefined
    this.tick = options?.tick ?? 1
    this.wheel = options === undefined ? library : new library.TimerWheel(options)
    this.timers = []
    /** About the number of intervals among them. */
    this.intervals = 0
    this.crowd = new Crowd(this)
    /** Virtual time lies between these two. */
    this.earliestNow = 0
    this.latestNow = 0
    /** A call of `advance` or `runAll` has begun and has not returned. */
    this.isAdvancing = false
    /** The timer whose callback runs. */
    this.running = undefined
    /** The most timers that interrupted calls of `advance` may have taken off the wheel without running them. */
    this.mayLack = 0
    /** The number of intervals that were interrupted in their callbacks. The next `advance` sets them again. */
    this.awaited = 0
    /** Whether callbacks set no new timers any more. */
    this.isDraining = false
    /** Whether a call of `stop` has begun, and whether one has returned. */
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

  /** Updates this state after an interruption. */
  settle() {
    if (this.isAdvancing && this.running === undefined) this.mayLack++
    // The next call of `advance` sets the interval again.
    if (this.isAdvancing && this.running?.repeats) this.awaited = 1
    this.isAdvancing = false
    this.running = undefined
  }

  /** Compares the number of pending timers with the program's knowledge. */
  checkCount(when) {
    if (this.isShared || this.isEnding) return
    const known = this.count(PENDING)
    const least = known - this.mayLack - this.awaited + this.crowd.least
    const most = known + this.count(UNKNOWN) + this.crowd.most
    const { pending } = this
    if (pending >= least && pending <= most) return
    blame(this, `${when} ${pending} timers are pending, expected ${least} to ${most}`)
  }

  /**
   * Returns whether a timer that should have run may be one that an interrupted `advance` took off the wheel. Counts it
   * as such.
   */
  lacks(timer) {
    if (this.mayLack === 0 || timer.repeats) return false
    this.mayLack--
    timer.state = OVER
    timer.isCleared = true
    timer.handle = undefined
    timer.id = undefined
    return true
  }

  /** Checks on a manual wheel that all due timers have run. */
  checkRun() {
    for (const timer of this.timers) {
      if (timer.state !== PENDING || timer.latest > this.earliestNow || this.lacks(timer)) continue
      blame(this, `did not run by ${this.earliestNow} ms, due at ${timer.latest} ms: ${timer.describe()}`)
    }
  }

  /** Forgets all finished timers except the last ones. */
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
