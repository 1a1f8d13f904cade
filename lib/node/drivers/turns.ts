/** Requests turns of the event loop for the slices of a wheel: one slice in each turn. */
import { type Host, type HostTimer, isReferenced } from '../host/host.js'

export class Turns {
  /** The number of coming turns that run the rest of a slice. */
  static rests = 0
  /** Such a turn has run, and nothing else was seen to keep the program alive since. */
  static restHasRun = false

  readonly #host: Host
  readonly #run: () => void
  #next: HostTimer | undefined
  /** The coming turn runs the rest of a slice. It keeps the program alive even for timers without a reference. */
  #isRest = false
  #isHeld = true

  constructor(host: Host, run: () => void) {
    this.#host = host
    this.#run = run
  }

  /** Whether a requested turn has not started yet. */
  get isComing(): boolean {
    return this.#next !== undefined
  }

  /** Called when the turn starts. Returns whether it runs the rest of a slice. */
  started(): boolean {
    this.#next = undefined
    if (!this.#isRest) return false
    this.#isRest = false
    Turns.rests--
    Turns.restHasRun = true
    return true
  }

  /** Requests the next turn: for the rest of the last slice, or for a first one. */
  request(isRest: boolean): void {
    this.#next = this.#host.outside(() => this.#host.soon(this.#run))
    if (isRest) Turns.rests++
    this.#isRest = isRest
    this.hold(this.#isHeld)
  }

  /** Sets whether a coming turn keeps the program alive. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (isHeld || this.#isRest) this.#next?.ref?.()
    else this.#next?.unref?.()
  }

  /** The entries of this object in Node's `process.getActiveResourcesInfo()`. */
  resources(): string[] {
    return isReferenced(this.#next) ? ['Immediate'] : []
  }
}
