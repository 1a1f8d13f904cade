/**
 * The figures to reach. Data only: verdicts.mjs compares the results with them.
 *
 * @typedef {object} Bar
 * @property {string} work
 * @property {string} part
 * @property {string} metric
 * @property {string} row  The id of the row that must reach it.
 * @property {'times' | 'most' | 'above'} kind  `times`: the figure of the row `base` is at least so many times ours. `most`:
 *   ours is at most `value`. `above`: ours is at most `value` more than that of `base`.
 * @property {number | ByNode} value
 * @property {string} [base]  The id of a row; the native one if not given.
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
 * The same figure to reach for handles and for numbers.
 *
 * @param {string} work
 * @param {Pick<Bar, 'part' | 'metric' | 'kind' | 'value'>} bar
 * @returns {Bar[]}
 */
const both = (work, bar) => [
  { work: `${work}handles`, row: handles, ...bar },
  { work: `${work}numbers`, row: numbers, ...bar },
]

/**
 * @param {{ row: string, name: string }} kind
 * @param {ByNode} value
 * @returns {Bar[]}
 */
const oneDelay = ({ row, name }, value) => {
  const bar = { part: 'set-clear', row, kind: /** @type {const} */ ('times'), value }
  return [
    { work: `set + clear, one delay, at once: ${name}`, metric: 'atOnce', ...bar },
    { work: `set + clear, one delay, 1,000 in flight: ${name}`, metric: 'later', ...bar },
  ]
}

/**
 * @param {{ row: string, name: string }} kind
 * @returns {Bar[]}
 */
const distinctDelays = ({ row, name }) => {
  const work = 'set + clear amid a million distinct delays'
  const bar = { part: 'distinct', row, kind: /** @type {const} */ ('times'), value: byNode(20, 15) }
  return [
    { work: `${work}, at once: ${name}`, metric: 'atOnce', ...bar },
    { work: `${work}, replaced at random: ${name}`, metric: 'replaced', ...bar },
  ]
}

const [withContext, withoutContext, asNumbers] = kinds
const refresh = /** @type {const} */ ({ part: 'refresh', metric: 'refresh', kind: 'times', value: 8 })
const promises = /** @type {const} */ ({ part: 'promises', row: handles, kind: 'times', value: 1.5 })

/** @type {Bar[]} */
const cost = [
  ...oneDelay(withContext, byNode(10, 6)),
  ...oneDelay(withoutContext, byNode(14, 8)),
  ...oneDelay(asNumbers, byNode(14, 8)),
  ...kinds.flatMap(distinctDelays),
  { work: 'refresh at random over a million: handles', row: handles, ...refresh },
  { work: 'reschedule at random over a million: numbers', row: numbers, ...refresh },
  ...both('set and fire a million: CPU per timer, ', {
    ...{ part: 'set-fire', metric: 'cpu', kind: 'times', value: 2.5 },
  }),
  { work: 'await setTimeout(ms) of timers/promises', metric: 'plain', ...promises },
  { work: 'await setTimeout(ms) of timers/promises, with a signal', metric: 'signal', ...promises },
]

/**
 * By the heap statistics of V8, and by the process, because some lines of Node do not count all memory outside the heap.
 *
 * @param {string} row
 * @param {string} name
 * @param {number} value
 * @returns {Bar[]}
 */
const bytes = (row, name, value) => {
  const bar = { part: 'hold', row, kind: /** @type {const} */ ('most'), value }
  return [
    { work: `memory per pending timer: ${name}`, metric: 'heap', ...bar },
    { work: `memory per pending timer, of the process: ${name}`, metric: 'resident', ...bar },
  ]
}

const garbage = /** @type {const} */ ({ part: 'garbage', metric: 'pause', kind: 'times' })

/** @type {Bar[]} */
const memory = [
  ...bytes(numbers, 'numbers', 40),
  ...bytes(plain, 'handles without context', 100),
  ...bytes(handles, 'handles with async context', 150),
  {
    work: 'ten million numbers: the whole process',
    ...{ part: 'ten-million', metric: 'whole', row: numbers, kind: 'most', value: 500 },
  },
  {
    work: 'garbage: pauses in 10 s of churn, handles with async context',
    ...{ ...garbage, row: handles, value: 3 },
  },
  { work: 'garbage: pauses in 10 s of churn, numbers', ...{ ...garbage, row: numbers, value: 10 } },
]

const register = /** @type {const} */ ({ part: 'register', row: 'addon', kind: 'above', base: 'native' })

/** @type {Bar[]} */
const time = [
  ...both('burst of a million: longest block, ', { part: 'burst', metric: 'block', kind: 'most', value: 12 }),
  ...both('burst of a million: until all have run, ', {
    ...{ part: 'burst', metric: 'total', kind: 'times', value: 1 },
  }),
  {
    work: 'idle for 10 s: wake-ups beyond those of no timer',
    ...{ part: 'idle', metric: 'wakeUps', row: handles, kind: 'above', base: 'empty', value: 0 },
  },
  ...both('lateness at 10,000 timers a second, p50: ', {
    ...{ part: 'precision', metric: 'late50', kind: 'most', value: 0.7 },
  }),
  ...both('lateness at 10,000 timers a second, p99: ', {
    ...{ part: 'precision', metric: 'late99', kind: 'most', value: 2 },
  }),
  ...both('early ones of ten million: ', { part: 'early', metric: 'early', kind: 'most', value: 0 }),
  ...both('growth to 8,000,000: longest call, ', { part: 'growth', metric: 'call', kind: 'most', value: 5 }),
  {
    work: "import 'timeout-wheel': more than an empty module",
    ...{ part: 'import', metric: 'imported', row: 'either', kind: 'above', base: 'empty', value: 3 },
  },
  { work: 'start with `register`: CPU above without', metric: 'cpu', value: 12, ...register },
  { work: 'start with `register`: memory above without', metric: 'memory', value: 3, ...register },
]

/** A gain below this is within the spread of two equal programs. */
const NO_LOSS = 0.97

/**
 * @param {string} program
 * @param {string} work
 * @param {number} byRegister  How many times less CPU time `register` takes than native timers.
 * @param {number} [byOwn]  The same for the API of this package.
 * @returns {Bar[]}
 */
const realPackage = (program, work, byRegister, byOwn) => {
  const bar = {
    part: 'packages',
    metric: 'cpu',
    kind: /** @type {const} */ ('times'),
    base: `${program}-native`,
  }
  const register = { work: `${work}: register`, row: `${program}-addon`, ...bar, value: byRegister }
  if (byOwn === undefined) return [register]
  return [register, { work: `${work}: own API`, row: `${program}-own`, ...bar, value: byOwn }]
}

/** @type {Bar[]} */
const packages = [
  ...realPackage('lru-one', 'lru-cache, one ttl', 1.1, 3),
  ...realPackage('lru-distinct', 'lru-cache, distinct ttls', 1.8, 4),
  ...realPackage('p-timeout', 'p-timeout', NO_LOSS, 2),
  ...realPackage('debounce', 'debounced map', 1, 1.6),
  ...realPackage('idle', 'idle timers', 1.8, 3),
  ...realPackage('expiry', 'expiry of 200,000 timers', NO_LOSS, 1.2),
]

const ofMembers = /** @type {const} */ ({ row: 'addon-members', base: 'native-members', kind: 'times' })
const oneGroup = { part: 'groups', ...ofMembers }
const smallGroups = { part: 'groups-of-10', ...ofMembers }

/** @type {Bar[]} */
const groups = [
  { work: 'a group of 1,000,000: touch at random', ...oneGroup, metric: 'touch', value: 12 },
  { work: 'a group: add and delete', ...oneGroup, metric: 'atOnce', value: 15 },
  { work: 'a group: add and delete, 1,000 in flight', ...oneGroup, metric: 'later', value: 3 },
  { work: 'a group of 1,000,000: add and expire, CPU', ...oneGroup, metric: 'expire', value: 1 },
  // 20 bytes beyond the item, whose reference takes 8.
  {
    work: 'a group of 1,000,000: memory of a member',
    ...{ part: 'groups', metric: 'heap', row: 'addon-members', kind: 'most', value: 28 },
  },
  {
    work: 'a group of 1,000,000: memory of a member, of the process',
    ...{ part: 'groups', metric: 'resident', row: 'addon-members', kind: 'most', value: 32 },
  },
  { work: '100,000 groups of 10: touch at random', ...smallGroups, metric: 'touch', value: 3 },
  { work: '100,000 groups of 10: add and delete', ...smallGroups, metric: 'atOnce', value: 1 },
  { work: '100,000 groups of 10: add and expire, CPU', ...smallGroups, metric: 'expire', value: 1 },
]

const chain = /** @type {const} */ ({ part: 'fine-chain', row: 'addon-chain' })
const most = /** @type {const} */ ({ ...chain, kind: 'most' })

/** @type {Bar[]} */
const fineTicks = [
  { work: 'a chain of 0.25 ms: lateness, p50', ...most, metric: 'late50', value: 0.08 },
  { work: 'a chain of 0.25 ms: lateness, p99', ...most, metric: 'late99', value: 0.3 },
  {
    work: 'a chain of 0.25 ms: CPU',
    ...chain,
    kind: 'times',
    metric: 'cpu',
    base: 'nanotimer-chain',
    value: 2,
  },
]

/** @type {Bar[]} */
const slack = ['addon', 'wasm'].map((backend) => ({
  work: `10,000 timers a second, slack of 5 ms: wake-ups, ${backend}`,
  ...{ part: 'slack', metric: 'wakeUps', row: `${backend}-slack`, base: `${backend}-exact` },
  ...{ kind: /** @type {const} */ ('times'), value: 4 },
}))

/** @type {Bar[]} */
const deadlines = [
  {
    work: 'a signal with a deadline, made and cleared',
    ...{ part: 'signals', metric: 'signal', row: 'addon-signal', kind: 'times', base: 'native-signal' },
    value: byNode(2.5, 10),
  },
]

const ofMaps = /** @type {const} */ ({ part: 'timeout-map', row: 'map-addon', kind: 'times' })
const besideMap = { ...ofMaps, base: 'map-native' }

/** @type {Bar[]} */
const maps = [
  // At most 1.5 and 2 times the time of a Map.
  { work: 'TimeoutMap: get of 1,000 entries', ...besideMap, metric: 'get', value: 1 / 1.5 },
  { work: 'TimeoutMap: get at random of 1,000,000', ...besideMap, metric: 'getLarge', value: 1 / 1.5 },
  { work: 'TimeoutMap: set of 1,000 entries', ...besideMap, metric: 'set', value: 1 / 2 },
  { work: 'TimeoutMap: set at random of 1,000,000', ...besideMap, metric: 'setLarge', value: 1 / 2 },
  {
    work: 'TimeoutMap: fill and expire, to lru-cache',
    ...ofMaps,
    metric: 'live',
    base: 'map-lru-cache',
    value: 3,
  },
  {
    work: 'TimeoutMap: fill and expire, to ttlcache',
    ...ofMaps,
    metric: 'live',
    base: 'map-ttlcache',
    value: 3,
  },
]

export const bars = [
  ...cost,
  ...memory,
  ...time,
  ...fineTicks,
  ...slack,
  ...groups,
  ...maps,
  ...deadlines,
  ...packages,
]
