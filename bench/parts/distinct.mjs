import { formatCount } from '../report/format.mjs'
import { atLeastTimes } from '../runner/bars.mjs'
import { collectGarbage, HOUR, inTurns, nothing, setPending, timeTurns } from '../runner/inside.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'
import { nanosecondsEach } from '../runner/statistics.mjs'

const AMID = 'set + clear amid a million distinct delays'
const wanted = { to22: 20, from24: 15 }
const barsOf = (row, kind) => [
  atLeastTimes(wanted, `${AMID}, at once: ${kind}`, 'atOnce', row),
  atLeastTimes(wanted, `${AMID}, replaced at random: ${kind}`, 'replaced', row),
]

export default {
  name: 'distinct',
  title: ({ timers }) => `Set and clear amid ${formatCount(timers)} pending, all delays distinct`,
  note: ({ timers }) =>
    `${formatCount(timers)} timers are pending. All delays are longer than an hour, and no two timers have the same delay, so that ` +
    'Node makes a list for each. At once: a timer is cleared before the next is set. Replaced: a random pending timer is cleared, and ' +
    'another is set in its place. Garbage is collected before each of the two.',
  metrics: [
    { key: 'atOnce', label: 'cleared at once', unit: 'ns', digits: 1 },
    { key: 'replaced', label: 'replaced at random', unit: 'ns', digits: 1 },
  ],
  bars: [
    ...barsOf('addon-handles', 'handles with async context'),
    ...barsOf('addon-handlesWithoutContext', 'handles without'),
    ...barsOf('addon-numbers', 'numbers'),
  ],
  floors: ['resource'],
  kept: true,
  warmUp: true,
  turns: 7,
  fewer: true,
  async measure(call, { timers }) {
    const atOnce = { batch: 1_000, pending: timers, count: 500_000 }
    const replaced = { ...atOnce, count: 100_000 }
    return {
      atOnce: nanosecondsEach(await call('setAndClearDistinct', atOnce), atOnce),
      replaced: nanosecondsEach(await call('replaceDistinct', replaced), replaced),
    }
  },
}

/** At least as many as all loops set together. */
const differentDelays = 2 ** 23

/** The pending timers and the order in which they are replaced. The first turn makes them, and all turns use them. */
let population

async function populate(timers, count) {
  const nextDelay = delaysInRandomOrder()
  const pending = await setPending(timers, count, nextDelay)
  return { pending, order: shuffledIndices(count, randomNumbers(3)), at: 0, nextDelay }
}

/** Random order, because if the delays ascend, V8 sometimes copies all lists of Node's timers whenever one is added. */
function delaysInRandomOrder() {
  const delays = shuffledIndices(differentDelays, randomNumbers(5))
  let drawn = 0
  return () => {
    if (drawn === delays.length) throw new RangeError(`${differentDelays} delays are used up`)
    return HOUR + delays[drawn++]
  }
}

/** Times one kind of work amid the population. A tenth of the work is done first, so that the caches hold its data. */
const timed =
  (work) =>
  async (timers, { count, batch, pending }) => {
    population ??= await populate(timers, pending)
    collectGarbage()
    await inTurns(count / 10, batch, () => work(timers, population, batch))
    return timeTurns(count, batch, () => work(timers, population, batch))
  }

export const setAndClearDistinct = timed((timers, { nextDelay }, batch) => {
  for (let i = 0; i < batch; i++) timers.clear(timers.set(nothing, nextDelay()))
})

export const replaceDistinct = timed((timers, population, batch) => {
  const { pending, order, nextDelay } = population
  let { at } = population
  for (let i = 0; i < batch; i++) {
    const chosen = order[at]
    at = at + 1 === order.length ? 0 : at + 1
    timers.clear(pending[chosen])
    pending[chosen] = timers.set(nothing, nextDelay())
  }
  population.at = at
})
