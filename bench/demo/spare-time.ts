/**
 * How busy the main thread is, with all that the browser does on it: for a few frames now and then, the time that nobody
 * else wants is spent in small pieces, each a task of its own. What is missing from that while, others took.
 */

/** Milliseconds from the start of one measurement to that of the next. */
const PERIOD = 500
/** Milliseconds that a measurement lasts at least. It ends with a frame, as it begins with one. */
const LASTS = 60
/** Milliseconds of a piece: long beside the posting of a task, short beside what others wait for. */
const PIECE = 0.2

export class SpareTime {
  readonly #onMeasured: (busy: number) => void
  readonly #post: () => void
  #measuring = false
  #begun = 0
  #spent = 0

  /** @param onMeasured is told the milliseconds of each second in which the main thread had something to do */
  constructor(onMeasured: (busy: number) => void) {
    this.#onMeasured = onMeasured
    this.#post = postBehindOthers(() => this.#spend())
  }

  /** Begins or ends a measurement, where it is time to. Called at the start of every frame. */
  frame(now: number): void {
    const lasted = now - this.#begun
    if (this.#measuring && lasted >= LASTS) {
      this.#measuring = false
      this.#onMeasured(Math.max(0, 1 - this.#spent / lasted) * 1000)
    } else if (!this.#measuring && lasted >= PERIOD) {
      this.#measuring = true
      this.#begun = now
      this.#spent = 0
      this.#post()
    }
  }

  #spend(): void {
    if (!this.#measuring) return
    const start = performance.now()
    let now = start
    while (now - start < PIECE) now = performance.now()
    this.#spent += now - start
    this.#post()
  }
}

/** Posts a task that comes after all others; where the browser knows no such, one that takes its turn with them. */
function postBehindOthers(task: () => void): () => void {
  const { scheduler } = window as { scheduler?: { postTask(task: () => void, options: object): void } }
  if (scheduler !== undefined) return () => scheduler.postTask(task, { priority: 'background' })
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = task
  return () => port2.postMessage(undefined)
}
