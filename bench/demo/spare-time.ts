/**
 * Measures how busy the main thread is, with all work of the browser. For a few frames at a time, tasks of low priority spend all
 * time that is left. The rest of these frames was used by other work.
 */

/** Milliseconds from the start of one measurement to the start of the next. */
const PERIOD = 500
/** The least duration of a measurement in milliseconds. It starts and ends with a frame. */
const LASTS = 60
/** Milliseconds of a task: long compared with posting it, and short compared with the delays that other work notices. */
const PIECE = 0.2

export class SpareTime {
  readonly #onMeasured: (busy: number) => void
  readonly #post: () => void
  #measuring = false
  #begun = 0
  #spent = 0

  /** @param onMeasured gets the milliseconds of each second in which the main thread was busy */
  constructor(onMeasured: (busy: number) => void) {
    this.#onMeasured = onMeasured
    this.#post = postBehindOthers(() => this.#spend())
  }

  /** Starts or ends a measurement if it is time. Called at the start of each frame. */
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

/** Posts a task of low priority, or a normal one if the browser has no priorities. */
function postBehindOthers(task: () => void): () => void {
  const { scheduler } = window as { scheduler?: { postTask(task: () => void, options: object): void } }
  if (scheduler !== undefined) return () => scheduler.postTask(task, { priority: 'background' })
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = task
  return () => port2.postMessage(undefined)
}
