/** An alarm made of the host's ordinary timers. */
import { type Alarm, type Host, type HostTimer, isReferenced } from '../host/host.js'

export const MAX_HOST_DELAY = 2 ** 31 - 1

export class HostAlarm implements Alarm {
  readonly #host: Host
  readonly #wake: () => void
  #timer: HostTimer | undefined
  /** The timer that fired last. While its callback runs, Node counts it; after that it has no reference. */
  #waking: HostTimer | undefined
  #isHeld = true

  constructor(host: Host, wake: () => void) {
    this.#host = host
    this.#wake = wake
  }

  set(due: number): void {
    const former = this.#timer
    const delay = Math.min(Math.max(Math.ceil(due - this.#host.now()), 0), MAX_HOST_DELAY)
    // In this order: an interruption in between leaves two timers, not none.
    this.#timer = this.#host.outside(() => this.#host.setTimeout(this.#wake, delay))
    if (former !== undefined) this.#host.clearTimeout(former)
    this.hold(this.#isHeld)
  }

  fired(): true {
    this.#waking = this.#timer
    this.#timer = undefined
    return true
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld
    if (isHeld) this.#timer?.ref?.()
    else this.#timer?.unref?.()
  }

  resources(): string[] {
    return [this.#timer, this.#waking].filter(isReferenced).map(() => 'Timeout')
  }

  close(): void {
    if (this.#timer !== undefined) this.#host.clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
