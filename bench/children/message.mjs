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
