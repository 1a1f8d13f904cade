/** How a wheel that was woken gets the time to run what is due. */
import type { Host, HostTimer } from '../host.js'

/** Runs a slice of what is due. Returns whether there is more, and is called again after a throw. */
export type Slice = () => boolean

/** The first slice at once, then one in each turn of the event loop. */
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
      this.#next = more ? this.#host.outside(() => this.#host.soon(() => this.start(slice))) : undefined
      this.hold(this.#isHeld)
    }
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
