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

/**
 * Returns a function for the start of each frame, which starts or ends a measurement if it is time.
 *
 * @param onMeasured gets the milliseconds of each second in which the main thread was busy
 */
export function measureBusy(onMeasured: (busy: number) => void): (now: number) => void {
  let measuring = false
  let begun = 0
  let spent = 0
  const post = postBehindOthers(() => {
    if (!measuring) return
    const start = performance.now()
    let now = start
    while (now - start < PIECE) now = performance.now()
    spent += now - start
    post()
  })
  return (now) => {
    const lasted = now - begun
    if (lasted < (measuring ? LASTS : PERIOD)) return
    measuring = !measuring
    if (measuring) {
      begun = now
      spent = 0
      post()
    } else onMeasured(Math.max(0, 1 - spent / lasted) * 1000)
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
