/** One wheel under test, the program's knowledge of it, and the checks. */
import { blame, Crowd, OVER, PENDING, UNKNOWN } from './timers.mjs'

/** The number of finished timers to keep, for calls with stale handles and ids. */
const STALE = 200

export class Subject {
  /** @param {object | undefined} options the options of `TimerWheel`; undefined for the shared wheel */
  constructor(name, library, options) {
    this.name = name
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
    /** Whether an `advance` was interrupted while no callback ran. */
    this.wasCut = false
    /** The most intervals whose run was interrupted. The next `advance` sets them again. */
    this.awaited = 0
    /** Whether callbacks set no new timers any more. */
    this.isDraining = false
    /** The results of calls of `stop`; undefined if the call was interrupted. */
    this.stops = []
    this.stopCount = 0
    /** Whether a call of `stop` has begun, and whether one has returned. */
    this.isEnding = false
    this.isStopped = false
  }

  /** The number of pending timers; 0 on the shared wheel, which does not tell. */
  get pending() {
    return this.isShared ? 0 : this.wheel.pending
  }

  count(state) {
    return this.timers.filter((timer) => timer.state === state).length
  }

  /**
   * Updates this state after an interruption. An interrupted `advance` may have taken a timer off the wheel whose callback
   * has not begun. An interval whose run was interrupted is off the wheel until the next `advance`.
   */
  settle() {
    if (this.isAdvancing) {
      if (this.running === undefined) {
        this.mayLack++
        this.wasCut = true
      }
      if (this.running?.repeats !== false) this.awaited = 1
    }
    if (this.wasCut) this.delayIntervals()
    this.wasCut = false
    this.isAdvancing = false
    this.running = undefined
  }

  /** Allows for an interval that lost a run: its next run counts from the call that sets it again. */
  delayIntervals() {
    for (const timer of this.timers) {
      if (!timer.repeats || timer.earliest > this.latestNow) continue
      timer.latest = Math.max(timer.latest, this.latestNow + timer.most + 2 * this.tick)
    }
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

  /** Returns whether a timer that should have run may be one that an interrupted `advance` took off the wheel. Counts it as such. */
  lacks(timer) {
    if (this.mayLack === 0 || timer.repeats) return false
    this.mayLack--
    timer.state = OVER
    timer.isCleared = true
    timer.handle = undefined
    timer.id = undefined
    return true
  }

  /** Counts the missing timer of an operation on a timer that was believed pending. */
  missed({ code, timer }) {
    // `check` has counted a timer whose cancel returned false.
    if (code === 'cancel' || timer.repeats) return
    if (code === 'refresh') this.mayLack--
    else this.lacks(timer)
  }

  /** Returns whether an interval may wait for the next `advance`. Counts it as such. */
  awaits(timer) {
    if (this.awaited === 0 || !timer.repeats) return false
    this.awaited--
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
