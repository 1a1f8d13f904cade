import { setImmediate as nextTurn } from 'node:timers/promises'
import { nanosecondsEach } from '../runner/statistics.mjs'

const options = { count: 500_000, batch: 1_000, delay: 30_000 }
const bar = (work, metric, row, to22, from24) => ({
  ...{ work: `set + clear, one delay, ${work}`, metric, row, kind: 'times' },
  value: { to22, from24 },
})

export default {
  name: 'set-clear',
  title: 'Set and clear: a request timeout',
  note:
    'A timer of 30 s is set and cleared. At once: it is cleared before the next is set, so that Node makes and drops its list of ' +
    'that delay each time. In flight: each loop turn sets 1,000 and clears the 1,000 of the turn before. 500,000 timers, 1,000 per ' +
    'loop turn. The loop turns are part of the time. No callback runs.',
  metrics: [
    { key: 'atOnce', label: 'cleared at once', unit: 'ns', digits: 1 },
    { key: 'later', label: '1,000 in flight', unit: 'ns', digits: 1 },
  ],
  bars: [
    bar('at once: handles with async context', 'atOnce', 'addon-handles', 10, 6),
    bar('1,000 in flight: handles with async context', 'later', 'addon-handles', 10, 6),
    bar('at once: handles without', 'atOnce', 'addon-handlesWithoutContext', 14, 8),
    bar('1,000 in flight: handles without', 'later', 'addon-handlesWithoutContext', 14, 8),
    bar('at once: numbers', 'atOnce', 'addon-numbers', 14, 8),
    bar('1,000 in flight: numbers', 'later', 'addon-numbers', 14, 8),
  ],
  hasRivals: true,
  floors: ['stored', 'object', 'resource'],
  memoryBound: true,
  kept: true,
  warmUp: true,
  turns: 11,
  measure: async (call) => ({
    atOnce: nanosecondsEach(await call('setAndClearAtOnce', options), options),
    later: nanosecondsEach(await call('setAndClearLater', options), options),
  }),
}

const nothing = () => {}

/** A timeout around work that ends at once: each timer is cleared before the next is set. `count` is a multiple of `batch`. */
export async function setAndClearAtOnce(timers, { count, batch, delay }) {
  await nextTurn()
  const start = performance.now()
  for (let done = 0; done < count; done += batch) {
    setAndClearBatch(timers, batch, delay)
    await nextTurn()
  }
  return performance.now() - start
}

function setAndClearBatch(timers, batch, delay) {
  for (let i = 0; i < batch; i++) timers.clear(timers.set(nothing, delay))
}

/** The request timeouts of a server: each loop turn sets a batch of timers and clears the batch of the turn before. */
export async function setAndClearLater(timers, { count, batch, delay }) {
  let previous = fillBatch(timers, new Array(batch), delay)
  let next = new Array(batch)
  await nextTurn()
  const start = performance.now()
  for (let done = 0; done < count; done += batch) {
    fillBatch(timers, next, delay)
    for (let i = 0; i < batch; i++) timers.clear(previous[i])
    const cleared = previous
    previous = next
    next = cleared
    await nextTurn()
  }
  const elapsed = performance.now() - start
  for (const timer of previous) timers.clear(timer)
  return elapsed
}

function fillBatch(timers, batch, delay) {
  for (let i = 0; i < batch.length; i++) batch[i] = timers.set(nothing, delay)
  return batch
}
