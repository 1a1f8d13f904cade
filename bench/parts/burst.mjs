import { formatCount } from '../report/format.mjs'
import { atLeastTimes, atMost, forApis } from '../runner/bars.mjs'
import { collectGarbage, inTurns, watchProgress } from '../runner/inside.mjs'

export default {
  name: 'burst',
  title: ({ timers }) => `A burst: ${formatCount(timers)} due in the same millisecond`,
  note:
    'Block: the longest time between two turns of the event loop, garbage collection included. All run after: from the time at which ' +
    'the timers were due to the last callback.',
  metrics: [
    { key: 'block', label: 'longest block of the loop', unit: 'ms', digits: 1 },
    { key: 'total', label: 'all run after', unit: 'ms' },
  ],
  bars: forApis((api, row) => [
    atMost(12, `burst of a million: longest block, ${api}`, 'block', row),
    atLeastTimes(1, `burst of a million: until all have run, ${api}`, 'total', row),
  ]),
  takes: ({ api }) => api !== 'handlesWithoutContext',
  turns: 7,
  fewer: true,
  measure: (call, { timers }) => call('runBurst', { count: timers }),
}

/** Sets timers that are all due in the same millisecond, and watches the event loop until all have run. */
export async function runBurst(timers, { count }) {
  let left = count
  let last = 0
  const onTimeout = () => {
    if (--left === 0) last = performance.now()
  }

  const due = Math.ceil(performance.now() + 1_500 + count / 400)
  await inTurns(count, 1_000, (from, to) => {
    const delay = Math.round(due - performance.now())
    for (let i = from; i < to; i++) timers.set(onTimeout, delay)
  })
  collectGarbage()
  if (performance.now() > due - 200) throw new Error(`setting ${count} timers took too long`)

  watchProgress(() => left)
  return new Promise((resolve) => {
    let block = 0
    let before = performance.now()
    const watch = () => {
      const now = performance.now()
      block = Math.max(block, now - before)
      before = now
      if (left > 0) setImmediate(watch)
      else resolve({ block, total: last - due })
    }
    watch()
  })
}
