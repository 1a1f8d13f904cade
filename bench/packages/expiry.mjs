/** Timers of different delays, all of which run. */

import { randomNumbers } from '../runner/random.mjs'
import { inTurns, untilEmpty } from './turns.mjs'

const timers = 200_000
/** Milliseconds. */
const longest = 2_000

/** @param {(onTimeout: () => void, delay: number) => unknown} set */
async function setAndRun(set) {
  const random = randomNumbers(7)
  const pending = { size: timers }
  const onTimeout = () => {
    pending.size--
  }
  await inTurns(timers, 1_000, () => set(onTimeout, 1 + Math.floor(random() * longest)))
  await untilEmpty(pending)
}

async function withSchedule() {
  const { TimerWheel } = await import('timeout-wheel')
  const wheel = new TimerWheel()
  await setAndRun((onTimeout, delay) => wheel.schedule(onTimeout, delay))
}

export const expiry = { package: () => setAndRun(setTimeout), own: withSchedule }
