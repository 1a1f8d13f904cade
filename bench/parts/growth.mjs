import { formatCount } from '../report/format.mjs'
import { atMost } from '../runner/bars.mjs'
import { collectGarbage, inTurns, watchCollections } from '../runner/inside.mjs'
import { nothing } from '../runner/turns.mjs'

const countOf = ({ timers }) => 8 * timers

export default {
  name: 'growth',
  title: (settings) =>
    `Growth: the longest single call on the way to ${formatCount(countOf(settings))} pending`,
  note:
    'Each call that sets a timer is timed. If each timer is an object, a garbage collection within the call is most of a long call, ' +
    'so the longest call without a collection stands beside it. Calls below 0.5 ms count as 0.',
  metrics: [
    { key: 'call', label: 'longest call', unit: 'ms', digits: 2 },
    { key: 'own', label: 'without a collection', unit: 'ms', digits: 2 },
  ],
  bars: ['handles', 'numbers'].map((api) =>
    atMost(5, `growth to 8,000,000: longest call, ${api}`, 'call', `addon-${api}`),
  ),
  takes: ({ api, group }) => api !== 'handlesWithoutContext' && group !== 'rival',
  floors: ['kept'],
  turns: 7,
  fewer: true,
  // Native timers and handles with a context need so much, garbage included.
  heap: 8_192,
  measure: (call, settings) => call('grow', { count: countOf(settings) }),
}

const delay = 3_600_000
/** Milliseconds. Shorter calls are not recorded. */
const long = 0.5

/** Sets timers one by one, and returns the milliseconds of the longest call. */
export async function grow(timers, { count }) {
  for (let i = 0; i < 10_000; i++) timers.clear(timers.set(nothing, delay))
  collectGarbage()
  const calls = []
  const endCollections = watchCollections()
  await inTurns(count, 1_000, (from, to) => {
    for (let i = from; i < to; i++) {
      const start = performance.now()
      timers.set(nothing, delay)
      const end = performance.now()
      if (end - start > long) calls.push({ start, end })
    }
  })
  const collections = await endCollections()
  const longest = (some) => Math.max(0, ...some.map(({ start, end }) => end - start))
  const undisturbed = calls.filter((call) =>
    collections.every(({ startTime, duration }) => startTime + duration < call.start || startTime > call.end),
  )
  return { call: longest(calls), own: longest(undisturbed) }
}
