import { setImmediate } from 'node:timers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatCount } from '../report/format.mjs'
import { atLeastTimes, atMost } from '../runner/bars.mjs'
import { collectGarbage, watchProgress } from '../runner/inside.mjs'

const barsOf = (api) => [
  atMost(12, `burst of a million: longest block, ${api}`, 'block', `addon-${api}`),
  atLeastTimes(1, `burst of a million: until all have run, ${api}`, 'total', `addon-${api}`),
]

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
  bars: ['handles', 'numbers'].flatMap(barsOf),
  takes: ({ api }) => api !== 'handlesWithoutContext',
  turns: 7,
  fewer: true,
  measure: (call, { timers }) => call('runBurst', { count: timers }),
}

const batch = 1_000

/** Sets timers that are all due in the same millisecond, and watches the event loop until all have run. */
export async function runBurst(timers, { count }) {
  let left = count
  let last = 0
  const onTimeout = () => {
    if (--left === 0) last = performance.now()
  }

  const due = Math.ceil(performance.now() + 1_500 + count / 400)
  for (let i = 0; i < count; i += batch) {
    const delay = Math.round(due - performance.now())
    for (let j = 0; j < batch; j++) timers.set(onTimeout, delay)
    await nextTurn()
  }
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
