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

/** Seconds in which no timer has run. */
const patience = 10

/**
 * Reports a failure to the parent if timers are left and none has run for some seconds. Some rivals lose timers.
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
