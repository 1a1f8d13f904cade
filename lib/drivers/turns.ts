/** How a wheel that was woken gets the time to run what is due. */
import type { Host, HostTimer } from '../host.js'

/** Runs a slice of what is due. Returns whether there is more, and is called again after a throw. */
export type Slice = () => boolean

/** Slices, one in each turn of the event loop. */
export class Turns {
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
    // The slice may start others.
    this.#next = undefined
    let more = true
    try {
      more = slice()
    } finally {
      if (more) this.#soon(slice, true)
    }
  }

  /** The same from the next turn of the event loop on. */
  startSoon(slice: Slice): void {
    this.#soon(slice, false)
  }

  #soon(slice: Slice, isRest: boolean): void {
    this.#next = this.#host.outside(() => this.#host.soon(() => this.start(slice)))
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
