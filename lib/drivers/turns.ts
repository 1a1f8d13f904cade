/** Has a wheel that was woken run what is due in slices, one in each turn of the event loop. */
import type { Host, HostTimer } from '../host.js'

export class Turns {
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

  /** The turn has come. */
  started(): void {
    this.#next = undefined
  }

  #soon(isRest: boolean): void {
    this.#next = this.#host.outside(() => this.#host.soon(this.#run))
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
