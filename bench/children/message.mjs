/**
 * Sends a message to the parent, and returns the answer.
 *
 * @param {any} message
 * @returns {Promise<any>}
 */
export const ask = (message) =>
  new Promise((resolve) => {
    process.once('message', resolve)
    process.send?.(message)
  })

/** Seconds in which nothing has run. */
const patience = 10

/**
 * Tells the parent of a failure when timers are left of which none has run for some seconds: not all timers that are set by
 * a rival run.
 *
 * @param {() => number} left
 */
export function watchProgress(left) {
  let before = left()
  let still = 0
  setInterval(() => {
    still = left() === before ? still + 1 : 0
    before = left()
    if (still === patience) process.send?.({ failure: `${before.toLocaleString('en-US')} timers never ran` })
  }, 1_000).unref()
}
