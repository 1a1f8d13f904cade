/** Helpers of the functions that run in measured processes. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Sends a message to the parent, and returns the answer. */
export const ask = (message) =>
  new Promise((resolve) => {
    process.once('message', resolve)
    process.send(message)
  })

/** Seconds in which no timer has run. */
const patience = 10

/** Reports a failure to the parent if timers are left and none has run for some seconds. Some rivals lose timers. */
export function watchProgress(left) {
  let before = left()
  let still = 0
  setInterval(() => {
    still = left() === before ? still + 1 : 0
    before = left()
    if (still === patience) process.send?.({ failure: `${before.toLocaleString('en-US')} timers never ran` })
  }, 1_000).unref()
}

/** Microseconds of CPU time of this process. */
export function cpuTime() {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** A promise and the function that fulfils it. */
export function signal() {
  let finish
  const finished = new Promise((resolve) => {
    finish = () => resolve(undefined)
  })
  return { finish, finished }
}

/** Does `work(from, to)` for all of `total`, a batch in each turn of the event loop. */
export async function inTurns(total, batch, work) {
  for (let from = 0; from < total; from += batch) {
    work(from, Math.min(total, from + batch))
    await nextTurn()
  }
}
