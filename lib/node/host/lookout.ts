/** Looks for the end of a test tool: no tool tells when it ends. */
import { lastingSingleton } from './singletons.js'
import type { TestClock } from './test-clock.js'

/** The functions that look at present. They do so before the process ends too, because a tool can have ended in its last turn. */
const looks = lastingSingleton('looks', () => {
  const looks = new Set<() => void>()
  process.on('beforeExit', () => {
    for (const look of looks) look()
  })
  return looks
})

export class Lookout {
  readonly #clock: TestClock
  readonly #look: () => void
  #isWaiting = false

  /** @param look returns whether to look again */
  constructor(clock: TestClock, look: () => boolean) {
    this.#clock = clock
    this.#look = () => {
      if (look()) this.watch()
      else looks.delete(this.#look)
    }
  }

  /** Looks every few milliseconds of real time, for as long as there is something to look for. */
  watch(): void {
    looks.add(this.#look)
    this.#isWaiting ||= this.#clock.wait(() => {
      this.#isWaiting = false
      this.#look()
    })
  }
}
