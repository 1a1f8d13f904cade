/**
 * The figures to reach. Data only: verdicts.mjs compares the results with them.
 *
 * @typedef {object} Bar
 * @property {string} work
 * @property {string} part
 * @property {string} metric
 * @property {string} row  The id of the row that must reach it.
 * @property {'times' | 'most' | 'above'} kind  `times`: the native figure is at least so many times ours. `most`: ours is at
 *   most `value`. `above`: ours is at most `value` more than the figure of the row `base`.
 * @property {number | ByNode} value
 * @property {string} [base]
 *
 * @typedef {{ to22: number, from24: number }} ByNode  Native timers are cheaper from Node 24 on.
 */

/** For each figure that the addon must reach, WebAssembly may need at most so many times the addon's figure. */
export const WASM_TO_ADDON = 1.3

/**
 * @param {number} to22
 * @param {number} from24
 */
const byNode = (to22, from24) => ({ to22, from24 })

const handles = 'addon-handles'
const plain = 'addon-handlesWithoutContext'
const numbers = 'addon-numbers'

const kinds = [
  { row: handles, name: 'handles with async context' },
  { row: plain, name: 'handles without' },
  { row: numbers, name: 'numbers' },
]

/**
 * @param {string} row
 * @param {string} name
 * @param {ByNode} value
 * @returns {Bar[]}
 */
const oneDelay = (row, name, value) => [
  {
    work: `set + clear, one delay, at once: ${name}`,
    part: 'set-clear',
    metric: 'atOnce',
    row,
    kind: 'times',
    value,
  },
  {
    work: `set + clear, one delay, 1,000 in flight: ${name}`,
    part: 'set-clear',
    metric: 'later',
    row,
    kind: 'times',
    value,
  },
]

/** @type {Bar[]} */
const cost = [
  ...oneDelay(handles, 'handles with async context', byNode(10, 6)),
  ...oneDelay(plain, 'handles without', byNode(14, 8)),
  ...oneDelay(numbers, 'numbers', byNode(14, 8)),
  ...kinds.flatMap(({ row, name }) => [
    distinct('at once', 'atOnce', row, name),
    distinct('replaced at random', 'replaced', row, name),
  ]),
  {
    work: 'refresh at random over a million: handles',
    part: 'refresh',
    metric: 'refresh',
    row: handles,
    kind: 'times',
    value: 8,
  },
  {
    work: 'reschedule at random over a million: numbers',
    part: 'refresh',
    metric: 'refresh',
    row: numbers,
    kind: 'times',
    value: 8,
  },
  {
    work: 'set and fire a million: CPU per timer, handles',
    part: 'set-fire',
    metric: 'cpu',
    row: handles,
    kind: 'times',
    value: 2.5,
  },
  {
    work: 'set and fire a million: CPU per timer, numbers',
    part: 'set-fire',
    metric: 'cpu',
    row: numbers,
    kind: 'times',
    value: 2.5,
  },
  {
    work: 'await setTimeout(ms) of timers/promises',
    part: 'promises',
    metric: 'plain',
    row: handles,
    kind: 'times',
    value: 1.5,
  },
  {
    work: 'await setTimeout(ms) of timers/promises, with a signal',
    part: 'promises',
    metric: 'signal',
    row: handles,
    kind: 'times',
    value: 1.5,
  },
]

/**
 * @param {string} how
 * @param {string} metric
 * @param {string} row
 * @param {string} name
 * @returns {Bar}
 */
function distinct(how, metric, row, name) {
  const work = `set + clear amid a million distinct delays, ${how}: ${name}`
  return { work, part: 'distinct', metric, row, kind: 'times', value: byNode(20, 15) }
}

/**
 * By the heap statistics of V8, and by the process, because some lines of Node do not count all memory outside the heap.
 *
 * @param {string} row
 * @param {string} name
 * @param {number} value
 * @returns {Bar[]}
 */
const bytes = (row, name, value) => [
  { work: `memory per pending timer: ${name}`, part: 'hold', metric: 'heap', row, kind: 'most', value },
  {
    work: `memory per pending timer, of the process: ${name}`,
    part: 'hold',
    metric: 'resident',
    row,
    kind: 'most',
    value,
  },
]

/** @type {Bar[]} */
const memory = [
  ...bytes(numbers, 'numbers', 40),
  ...bytes(plain, 'handles without context', 100),
  ...bytes(handles, 'handles with async context', 150),
  {
    work: 'ten million numbers: the whole process',
    part: 'ten-million',
    metric: 'whole',
    row: numbers,
    kind: 'most',
    value: 500,
  },
  {
    work: 'garbage: pauses in 10 s of churn, handles with async context',
    part: 'garbage',
    metric: 'pause',
    row: handles,
    kind: 'times',
    value: 3,
  },
  {
    work: 'garbage: pauses in 10 s of churn, numbers',
    part: 'garbage',
    metric: 'pause',
    row: numbers,
    kind: 'times',
    value: 10,
  },
]

/** @type {Bar[]} */
const time = [
  {
    work: 'burst of a million: longest block, handles',
    part: 'burst',
    metric: 'block',
    row: handles,
    kind: 'most',
    value: 12,
  },
  {
    work: 'burst of a million: longest block, numbers',
    part: 'burst',
    metric: 'block',
    row: numbers,
    kind: 'most',
    value: 12,
  },
  {
    work: 'burst of a million: until all have run, handles',
    part: 'burst',
    metric: 'total',
    row: handles,
    kind: 'times',
    value: 1,
  },
  {
    work: 'burst of a million: until all have run, numbers',
    part: 'burst',
    metric: 'total',
    row: numbers,
    kind: 'times',
    value: 1,
  },
  {
    work: 'idle for 10 s: wake-ups beyond those of no timer',
    part: 'idle',
    metric: 'wakeUps',
    row: handles,
    kind: 'above',
    base: 'empty',
    value: 0,
  },
  {
    work: 'lateness at 10,000 timers a second, p50: handles',
    part: 'precision',
    metric: 'late50',
    row: handles,
    kind: 'most',
    value: 0.7,
  },
  {
    work: 'lateness at 10,000 timers a second, p50: numbers',
    part: 'precision',
    metric: 'late50',
    row: numbers,
    kind: 'most',
    value: 0.7,
  },
  {
    work: 'lateness at 10,000 timers a second, p99: handles',
    part: 'precision',
    metric: 'late99',
    row: handles,
    kind: 'most',
    value: 2,
  },
  {
    work: 'lateness at 10,000 timers a second, p99: numbers',
    part: 'precision',
    metric: 'late99',
    row: numbers,
    kind: 'most',
    value: 2,
  },
  {
    work: 'early ones of ten million: handles',
    part: 'early',
    metric: 'early',
    row: handles,
    kind: 'most',
    value: 0,
  },
  {
    work: 'early ones of ten million: numbers',
    part: 'early',
    metric: 'early',
    row: numbers,
    kind: 'most',
    value: 0,
  },
  {
    work: 'growth to 8,000,000: longest call, handles',
    part: 'growth',
    metric: 'call',
    row: handles,
    kind: 'most',
    value: 5,
  },
  {
    work: 'growth to 8,000,000: longest call, numbers',
    part: 'growth',
    metric: 'call',
    row: numbers,
    kind: 'most',
    value: 5,
  },
  {
    work: "import 'timeout-wheel': more than an empty module",
    part: 'import',
    metric: 'imported',
    row: 'either',
    kind: 'above',
    base: 'empty',
    value: 3,
  },
  ...[
    { work: 'start with `register`: CPU above without', metric: 'cpu', value: 12 },
    { work: 'start with `register`: memory above without', metric: 'memory', value: 3 },
  ].map((bar) => ({ ...bar, part: 'register', row: 'addon', kind: 'above', base: 'native' })),
]

export const bars = [...cost, ...memory, ...time]
