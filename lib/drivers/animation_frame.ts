/** Turns at the start of frames: all that runs in one changes the page before it is laid out, and painted, once. */
import type { Frames, Host } from '../host.js'
import type { Slice, Turns } from './turns.js'

/** Milliseconds after which a frame is no longer waited for: the page was hidden, or its frame is scrolled out of sight. */
const LONGEST_WAIT = 250

export class FrameTurns implements Turns {
  readonly #host: Host
  readonly #frames: Frames
  readonly #budget: number
  readonly #fallback: Turns

  constructor(host: Host, frames: Frames, budget: number, fallback: Turns) {
    this.#host = host
    this.#frames = frames
    this.#budget = budget
    this.#fallback = fallback
  }

  start(slice: Slice): void {
    if (this.#frames.areHidden()) return this.#fallback.start(slice)
    let isTaken = false
    const turn = (): void => {
      if (isTaken) return
      isTaken = true
      this.#host.clearTimeout(timer)
      let more = true
      try {
        more = this.#run(slice)
      } finally {
        if (more) this.start(slice)
      }
    }
    const timer = this.#host.setTimeout(turn, LONGEST_WAIT)
    this.#frames.request(turn)
  }

  /** Returns whether there is more to run. */
  #run(slice: Slice): boolean {
    const started = this.#host.now()
    while (slice()) if (this.#host.now() - started >= this.#budget) return true
    return false
  }

  hold(): void {}
}
