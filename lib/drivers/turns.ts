/** How a wheel that was woken gets the time to run what is due. */
import type { Host, HostTimer } from '../host.js'

/** Runs a slice of what is due. Returns whether there is more, and is called again after a throw. */
export type Slice = () => boolean

/** Slices, one in each turn of the event loop. */
export class Turns {
  readonly #host: Host
  #next: HostTimer | undefined
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
      this.#next = undefined
      if (more) this.startSoon(slice)
    }
  }

  /** The same from the next turn of the event loop on. */
  startSoon(slice: Slice): void {
    this.#next = this.#host.outside(() => this.#host.soon(() => this.start(slice)))
    this.hold(this.#isHeld)
  }

  /** Whether a turn to come keeps the program alive. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (isHeld) this.#next?.ref?.()
    else this.#next?.unref?.()
  }

  /** What Node's `process.getActiveResourcesInfo()` counts of it. */
  resources(): string[] {
    return this.#next?.hasRef?.() ? ['Immediate'] : []
  }
}
