/** Has a wheel that was woken run what is due in slices, one in each turn of the event loop. */
import type { Host, HostTimer } from '../host/host.js'

export class Turns {
  /** How many turns to come run what is left over. */
  static rests = 0
  /** Such a turn has run, and nothing else is known to keep the program alive since. */
  static restHasRun = false

  readonly #host: Host
  /** What the host calls in a turn. */
  readonly #run: () => void
  #next: HostTimer | undefined
  /** The turn to come runs what another has left: that keeps the program alive whatever may be unreferenced in it. */
  #isRest = false
  #isHeld = true

  constructor(host: Host, run: () => void) {
    this.#host = host
    this.#run = run
  }

  /** Has the first slice run in the next turn. */
  startSoon(): void {
    this.#soon(false)
  }

  /** Has what the last slice left run in the next turn. */
  goOn(): void {
    this.#soon(true)
  }

  /** Whether a turn was asked for, and is still to come. */
  get isComing(): boolean {
    return this.#next !== undefined
  }

  /** The turn has come. Returns whether it is for what a slice has left. */
  started(): boolean {
    this.#next = undefined
    if (!this.#isRest) return false
    this.#isRest = false
    Turns.rests--
    Turns.restHasRun = true
    return true
  }

  #soon(isRest: boolean): void {
    this.#next = this.#host.outside(() => this.#host.soon(this.#run))
    if (isRest) Turns.rests++
    this.#isRest = isRest
    this.hold(this.#isHeld)
  }

  /** Whether a turn to come keeps the program alive. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (isHeld || this.#isRest) this.#next?.ref?.()
    else this.#next?.unref?.()
  }

  /** What Node's `process.getActiveResourcesInfo()` counts of it. */
  resources(): string[] {
    return this.#next?.hasRef?.() ? ['Immediate'] : []
  }
}
