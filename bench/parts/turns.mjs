import { setImmediate } from 'node:timers'
import { formatCount } from '../report/format.mjs'
import { addedTimeWith } from '../runner/added-time.mjs'
import { atLeastTimes } from '../runner/bars.mjs'
import { measureBySize, splitBySize } from '../runner/by-size.mjs'
import { cpuTime, nothing } from '../runner/inside.mjs'

/** Operations in a turn of the event loop. */
export const SIZES = [1, 4, 16, 32, 128, 1_000]
/** The sizes that README shows. */
export const [SINGLE, EVERYDAY, MASS] = [1, 16, 1_000]
/** Without an operation, the cost of the pending timers is measured. */
const ALL = [0, ...SIZES]

const DELAY = 30_000
const PENDING = 1_000
/** How many times cheaper than natively each work is to be, by size. */
const BARS = { setClear: [1.05, 1.25, 1.35, 1.8, 2.3, 2.8], refresh: [0.95, 1.05, 1.5, 2.1, 3.5, 5] }
/** Operations of a sample, unless it would have too many or too few turns. */
const COUNT = 60_000
const [FEWEST_TURNS, MOST_TURNS] = [100, 30_000]

/** What is done, and how tables name it. */
export const works = { setClear: 'set and clear', refresh: 'refresh', touch: 'touch' }

export default {
  name: 'turns',
  title: 'By the number of operations in a turn of the event loop',
  note:
    `The CPU time that each operation adds to its turn. ${formatCount(PENDING)} timers of 30 s are pending meanwhile. Each turn sets and ` +
    'clears other timers of that delay one after the other, or refreshes the pending ones in their order, or touches members of a ' +
    'group in their order; natively refresh() touches a timer. Numbers are rescheduled. Turns without operations and without pending ' +
    'timers are subtracted, the same for all contenders. 0: what the pending timers alone add to a turn. setImmediate starts each ' +
    'turn. No callback of a timer runs.',
  metrics: Object.entries(works).map(([key, label]) => ({ key, label, unit: 'ns', digits: 1 })),
  bars: SIZES.flatMap((size, i) =>
    Object.entries(BARS).map(([key, times]) => {
      const work = `${works[key]}, ${formatCount(size)} in a turn`
      return { ...atLeastTimes(times[i], work, key, `addon-handles-${size}`), base: `native-${size}` }
    }),
  ),
  takes: ({ id }) => ['native', 'addon-handles', 'addon-numbers', 'wasm-handles'].includes(id),
  quick: true,
  turns: { short: 5, full: 11 },
  measure: (call, _settings, { api }) => call('measureTurns', { touches: api === 'handles' }),
  split: (rows) => splitBySize(rows, Object.keys(works), ALL),
}

const addedTime = addedTimeWith(setImmediate, cpuTime)

/** What stays pending during a work. `next` returns one after the other. */
function pendingOf(add, remove) {
  const pending = new Array(PENDING).fill(undefined)
  let at = 0
  return {
    begin() {
      for (let i = 0; i < PENDING; i++) pending[i] = add()
    },
    next() {
      at = at + 1 === PENDING ? 0 : at + 1
      return pending[at]
    },
    end() {
      for (const one of pending) remove(one)
    },
  }
}

/** The works: what is pending, and a function that does `size` operations. Each has its own loop, so that the engine can inline the call. */
function worksOf({ set, clear, refresh, timerGroup }, touches) {
  const timers = pendingOf(() => set(nothing, DELAY), clear)
  const setClear = (size) => () => {
    for (let i = 0; i < size; i++) clear(set(nothing, DELAY))
  }
  const refreshSome = (size) => () => {
    for (let i = 0; i < size; i++) refresh(timers.next(), DELAY)
  }
  const own = { setClear: [timers, setClear], refresh: [timers, refreshSome] }
  if (!touches) return own
  if (timerGroup === undefined) return { ...own, touch: own.refresh }
  const group = timerGroup(nothing, DELAY)
  const members = pendingOf(
    () => group.add(nothing),
    (member) => group.delete(member),
  )
  const touchSome = (size) => () => {
    for (let i = 0; i < size; i++) group.touch(members.next())
  }
  return { ...own, touch: [members, touchSome] }
}

/** The first sample makes them, and all samples use them. */
let own

/** Nanoseconds that each of `size` operations adds to its turn, in about `count` operations. */
export async function addToTurns(timers, { work, size, count, touches = false }) {
  own ??= worksOf(timers, touches)
  const [{ begin, end }, workOf] = own[work]
  const operations = Math.max(size, 1)
  const turns = Math.min(MOST_TURNS, Math.max(FEWEST_TURNS, Math.ceil(count / operations)))
  const microseconds = await addedTime(turns, { begin, work: workOf(size), end })
  return (microseconds * 1_000) / operations
}

/**
 * One sample, of a process of its own: how an engine compiles the code and places it in memory differs between processes, and changes the
 * cost of a single operation in a turn by a third.
 */
export async function measureTurns(timers, { touches }) {
  const names = Object.keys(works).filter((work) => work !== 'touch' || touches)
  const measure = () =>
    measureBySize(names, ALL, (work, size) => addToTurns(timers, { work, size, count: COUNT, touches }))
  // The engine compiles during the first, and in the second the turns without operations still get faster.
  await measure()
  await measure()
  return measure()
}
