/**
 * How busy the main thread is, with all that the browser does on it: for a short while now and then, the time that nobody
 * else wants is spent in small pieces, each a task of its own. What is missing from that while, others took.
 */

/** Milliseconds between two measurements. */
const PERIOD = 500
/** Milliseconds that a measurement lasts: several frames. */
const WINDOW = 80
/** Milliseconds of a piece: long beside the posting of a task, short beside what others wait for. */
const PIECE = 0.2

export class SpareTime {
  readonly #channel = new MessageChannel()
  #measuring = false
  #begun = 0
  #spent = 0

  /** @param onMeasured is told the milliseconds of each second in which the main thread had something to do */
  constructor(onMeasured: (busy: number) => void) {
    this.#channel.port1.onmessage = () => {
      const start = performance.now()
      let now = start
      while (now - start < PIECE) now = performance.now()
      this.#spent += now - start
      const lasted = now - this.#begun
      if (lasted < WINDOW) this.#post()
      else {
        this.#measuring = false
        onMeasured(Math.max(0, 1 - this.#spent / lasted) * 1000)
      }
    }
    setInterval(() => {
      if (document.hidden || this.#measuring) return
      this.#measuring = true
      this.#begun = performance.now()
      this.#spent = 0
      this.#post()
    }, PERIOD)
  }

  #post(): void {
    this.#channel.port2.postMessage(undefined)
  }
}
