/** How a wheel that was woken gets the time to run what is due. */
import type { Host, HostTimer } from '../host.js'

/** Runs a slice of what is due. Returns whether there is more, and is called again after a throw. */
export type Slice = () => boolean

/** Slices, one in each turn of the event loop. */
export class Turns {
  /** How many turns to come run what is left over. */
  static rests = 0
  /** Such a turn has run, and nothing else is known to keep the program alive since. */
  static restHasRun = false

  readonly #host: Host
  #next: HostTimer | undefined
  /** The turn to come runs what another has left: that keeps the program alive whatever may be unreferenced in it. */
  #isRest = false
  #isHeld = true

  constructor(host: Host) {
    this.#host = host
  }

  /** Runs slices until there is no more to run. What one throws goes to the host. */
  start(slice: Slice): void {
    let more = true
    try {
      more = slice()
    } finally {
      if (more) this.#soon(() => this.start(slice), true)
    }
  }

  /** Runs something in the next turn of the event loop. */
  startSoon(start: () => void): void {
    this.#soon(start, false)
  }

  #soon(start: () => void, isRest: boolean): void {
    const run = () => {
      if (isRest) {
        Turns.rests--
        Turns.restHasRun = true
      }
      this.#next = undefined
      start()
    }
    this.#next = this.#host.outside(() => this.#host.soon(run))
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
