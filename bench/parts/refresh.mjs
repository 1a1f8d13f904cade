import { formatCount } from '../report/format.mjs'
import { atLeastTimes } from '../runner/bars.mjs'
import { collectGarbage, setPending, timeTurns } from '../runner/inside.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'
import { nanosecondsEach } from '../runner/statistics.mjs'

export default {
  name: 'refresh',
  title: ({ timers }) => `Refresh at random over ${formatCount(timers)} pending, 1,000 in a turn`,
  note: ({ timers }) =>
    `${formatCount(timers)} timers of 60 s are pending. Each is refreshed once, 1,000 per loop turn. They stand in random order in a list, ` +
    'so each refresh waits for memory. Setting them is not timed. Numbers are rescheduled. The row without a timer is a store in the ' +
    'same order, into a field of a bare object.',
  metrics: [{ key: 'refresh', label: 'refresh', unit: 'ns', digits: 1 }],
  bars: [
    atLeastTimes(8, 'refresh at random over a million: handles', 'refresh', 'addon-handles'),
    atLeastTimes(8, 'reschedule at random over a million: numbers', 'refresh', 'addon-numbers'),
  ],
  // A refresh captures no async context, so handles without a context would only repeat the rows of those with one.
  takes: ({ api }) => api !== 'handlesWithoutContext',
  hasRivals: true,
  floors: ['field'],
  memoryBound: true,
  kept: true,
  warmUp: true,
  turns: 9,
  async measure(call, { timers }) {
    const options = { count: timers, batch: 1_000, delay: 60_000 }
    return { refresh: nanosecondsEach(await call('refreshAll', options), options) }
  },
}

/** The first turn makes it, and all turns use it. */
let refreshSome

export async function refreshAll(timers, { count, batch, delay }) {
  if (refreshSome === undefined) {
    refreshSome = refresher(timers.refresh, await setPending(timers, count, () => delay), delay)
    collectGarbage()
  }
  return timeTurns(count, batch, refreshSome)
}

/** A closure, so that the engine treats everything except the timer as a constant. The cost of the loop itself is measured too. */
function refresher(refresh, pending, delay) {
  const shuffled = Array.from(shuffledIndices(pending.length, randomNumbers(1)), (i) => pending[i])
  return (from, to) => {
    for (let i = from; i < to; i++) refresh(shuffled[i], delay)
  }
}
