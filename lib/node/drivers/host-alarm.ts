/** An alarm made of the host's ordinary timers. */
import type { Host, HostTimer } from '../host/node-host.js'

export const MAX_HOST_DELAY = 2 ** 31 - 1

export class HostAlarm {
  readonly #host: Host
  readonly #wake: () => void
  #timer: HostTimer | undefined
  #isHeld = true

  constructor(host: Host, wake: () => void) {
    this.#host = host
    this.#wake = wake
  }

  /** Sets the time of the alarm to `due`, in milliseconds on the host's clock, instead of any former time. */
  set(due: number): void {
    const former = this.#timer
    const delay = Math.min(Math.max(Math.ceil(due - this.#host.now()), 0), MAX_HOST_DELAY)
    this.#timer = this.#host.outside(() => this.#host.setTimeout(this.#wake, delay))
    if (former !== undefined) this.#host.clearTimeout(former)
    this.hold(this.#isHeld)
  }

  /** Called first by the woken function, which the host calls directly. */
  fired(): void {
    this.#timer = undefined
  }

  /** Sets whether the alarm keeps the program alive. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (isHeld) this.#timer?.ref?.()
    else this.#timer?.unref?.()
  }

  /** Clears the alarm. */
  close(): void {
    if (this.#timer !== undefined) this.#host.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
