import { setImmediate as nextTurn } from 'node:timers/promises'
import { formatCount } from '../report/format.mjs'
import { collectGarbage } from '../runner/garbage.mjs'
import { randomNumbers } from '../runner/random.mjs'
import { nanosecondsEach } from '../runner/statistics.mjs'

const sizes = [100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000]
/** Ten million timers of a rival need more memory than the other processes leave. */
const rivalsUpTo = 1_000_000
const options = { count: 50_000, batch: 1_000 }

export default {
  name: 'scale',
  chart: 'lines',
  title: 'Flat cost: set and clear amid 100 to 10,000,000 pending',
  note:
    'Timers of random delays of one to two hours are pending. 50,000 timers of random delays are set, and each is cleared at once, ' +
    '1,000 per loop turn. Each contender has one process for all sizes.',
  metrics: sizes.map((size) => ({ key: `at${size}`, label: formatCount(size), unit: 'ns', digits: 1 })),
  takes: ({ id }) => id !== 'wasm-handlesWithoutContext',
  kept: true,
  turns: 7,
  // Ten million native timers or handles need so much, garbage included.
  heap: 10_240,
  patience: 240,

  /** All turns at one size, then all at the next. */
  async inSteps(subjects, call, { timers }, turns, progress) {
    const samples = subjects.map(() => Array.from({ length: turns }, () => ({})))
    for (const size of sizes.filter((one) => one <= timers * 10)) {
      const able = subjects.filter(({ group }) => group !== 'rival' || size <= rivalsUpTo)
      for (const contender of able) {
        progress.show(`scale: ${formatCount(size)} pending`, contender.label)
        await call(contender, 'growTo', { count: size, batch: 10_000 })
        await call(contender, 'setAndClearAmid', options)
      }
      for (let turn = 0; turn < turns; turn++) {
        progress.show(`scale: ${formatCount(size)}, turn ${turn + 1} of ${turns}`)
        for (const contender of able) {
          const elapsed = await call(contender, 'setAndClearAmid', options)
          samples[subjects.indexOf(contender)][turn][`at${size}`] = nanosecondsEach(elapsed, options)
        }
      }
    }
    return samples
  },
}

const nothing = () => {}
const random = randomNumbers(4)

/** Milliseconds: delays of one to two hours, so that no timer fires during a measurement. */
const randomDelay = () => 3_600_000 + Math.floor(random() * 3_600_000)

let pending = 0

/** Drawn in advance, so that the drawing is not measured. */
let delays

/** Sets timers of random delays until `count` are pending. It is not timed. */
export async function growTo(timers, { count, batch }) {
  delays ??= Uint32Array.from({ length: 1 << 16 }, randomDelay)
  while (pending < count) {
    const until = Math.min(count, pending + batch)
    for (; pending < until; pending++) timers.set(nothing, randomDelay())
    await nextTurn()
  }

  collectGarbage()
  return 0
}

/** Sets timers of random delays while others are pending, and clears each at once. `count` is a multiple of `batch`. */
export async function setAndClearAmid(timers, { count, batch }) {
  await nextTurn()
  const start = performance.now()
  for (let done = 0; done < count; done += batch) {
    setAndClearSome(timers, done, batch)
    await nextTurn()
  }
  return performance.now() - start
}

function setAndClearSome(timers, from, batch) {
  for (let i = from; i < from + batch; i++) timers.clear(timers.set(nothing, delays[i & 0xffff]))
}
