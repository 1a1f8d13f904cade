import { formatCount } from '../report/format.mjs'
import { atMost, forApis } from '../runner/bars.mjs'
import { collectGarbage, HOUR, inTurns, nothing } from '../runner/inside.mjs'

const countOf = ({ timers }) => 8 * timers

export default {
  name: 'growth',
  title: (settings) =>
    `Growth: the longest single call on the way to ${formatCount(countOf(settings))} pending`,
  note: 'Each call that sets a timer is timed. If each timer is an object, a garbage collection within the call is most of a long call.',
  metrics: [{ key: 'call', label: 'longest call', unit: 'ms', digits: 2 }],
  bars: forApis((api, row) => atMost(5, `growth to 8,000,000: longest call, ${api}`, 'call', row)),
  takes: ({ api, group }) => api !== 'handlesWithoutContext' && group !== 'rival',
  turns: 7,
  fewer: true,
  // Native timers and handles with a context need so much, garbage included.
  heap: 8_192,
  measure: (call, settings) => call('grow', { count: countOf(settings) }),
}

export async function grow(timers, { count }) {
  for (let i = 0; i < 10_000; i++) timers.clear(timers.set(nothing, HOUR))
  collectGarbage()
  let call = 0
  await inTurns(count, 1_000, (from, to) => {
    for (let i = from; i < to; i++) {
      const start = performance.now()
      timers.set(nothing, HOUR)
      call = Math.max(call, performance.now() - start)
    }
  })
  return { call }
}
