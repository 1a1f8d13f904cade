/** What wakes a wheel at a time. */
import type { Host, HostTimer } from '../host.js'

export const MAX_HOST_DELAY = 2 ** 31 - 1

/** One timer of the host. */
export class Alarm {
  readonly #host: Host
  /** What the host calls. */
  readonly #wake: () => void
  #due = Number.POSITIVE_INFINITY
  #timer: HostTimer | undefined
  /** The timer that fired last. While its callback runs, Node counts it; after that it has no reference. */
  #waking: HostTimer | undefined
  #isHeld = true

  constructor(host: Host, wake: () => void) {
    this.#host = host
    this.#wake = wake
  }

  /** Wakes at `due`, on the host's clock, in milliseconds; no longer when it was to before. */
  set(due: number): void {
    this.#due = due
    this.#start()
  }

  /** The host has called what it wakes. */
  fired(): void {
    this.#waking = this.#timer
    this.#timer = undefined
    this.#due = Number.POSITIVE_INFINITY
  }

  /** Whether it keeps the program alive while it is set. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (isHeld) this.#timer?.ref?.()
    else this.#timer?.unref?.()
  }

  /** What Node's `process.getActiveResourcesInfo()` counts of it. */
  resources(): string[] {
    return [this.#timer, this.#waking].filter((timer) => timer?.hasRef?.()).map(() => 'Timeout')
  }

  /** Never wakes again. */
  close(): void {
    this.#due = Number.POSITIVE_INFINITY
    this.#clear()
  }

  #clear(): void {
    if (this.#timer !== undefined) this.#host.clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #start(): void {
    this.#clear()
    const delay = Math.min(Math.max(Math.ceil(this.#due - this.#host.now()), 0), MAX_HOST_DELAY)
    this.#timer = this.#host.outside(() => this.#host.setTimeout(this.#wake, delay))
    this.hold(this.#isHeld)
  }
}
