import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'

/** Milliseconds between two looks. */
const pause = 20

/**
 * Does something many times, some of it in each turn of the event loop, as a server does.
 *
 * @param {number} count
 * @param {number} batch  How often in a turn.
 * @param {() => void} act
 */
export async function inTurns(count, batch, act) {
  for (let done = 0; done < count; done++) {
    act()
    if (done % batch === batch - 1) await nextTurn()
  }
}

/** @param {{ readonly size: number }} pending */
export async function untilEmpty(pending) {
  while (pending.size > 0) await sleep(pause)
}
