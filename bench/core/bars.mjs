/**
 * The figures that the core must reach, computed from the results.
 *
 * @import { Cell, Design, MeasuredRow } from './measure.mjs'
 *
 * @typedef {object} Bar
 * @property {string} what
 * @property {string} wanted
 * @property {string} figure
 * @property {boolean | null} reached  null if it was not measured
 * @property {string} bound  the ratio of one store for each operation and no other work; empty if it was not measured
 */

const OURS = 'ours'
/** One store for each operation and no wheel. No design can be faster. */
const BOUND = 'one-store'
/** These are no designs, but are measured beside them. */
export const BOUNDS = ['nothing', BOUND]
const MILLION = 1_000_000

/** Reads the results: the median of a counter, and the best rival. */
class Results {
  #rows
  #designs

  /**
   * @param {MeasuredRow[]} rows
   * @param {Design[]} designs
   */
  constructor(rows, designs) {
    this.#rows = rows
    this.#designs = designs
  }

  /**
   * @param {string} part
   * @param {string} delays
   * @param {number} count
   * @param {string} [design]
   * @param {string} [counter]
   */
  median(part, delays, count, design = OURS, counter = 'ns') {
    const row = this.#rows.find((one) => one.part === part && one.delays === delays && one.count === count)
    return row?.cells[design]?.[counter]?.median
  }

  /**
   * The rival of this kind with the least cost.
   *
   * @param {string} part
   * @param {string} delays
   * @param {number} count
   * @param {(design: Design) => boolean} isRival
   */
  best(part, delays, count, isRival) {
    const costs = this.#designs
      .filter((design) => design.name !== OURS && !BOUNDS.includes(design.name) && isRival(design))
      .map(({ name }) => ({ name, cost: this.median(part, delays, count, name) ?? Infinity }))
    return costs.reduce((a, b) => (b.cost < a.cost ? b : a), { name: '', cost: Infinity })
  }

  /** @param {string} part */
  counts(part) {
    return this.#rows.filter((row) => row.part === part).map(({ count }) => count)
  }
}

/** @param {Design} design */
const isExact = ({ exact }) => exact

/** @param {number | undefined} value */
const ns = (value) =>
  value === undefined ? '-' : value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US')

/**
 * @param {string} what
 * @param {string} wanted
 * @returns {Bar}
 */
const notMeasured = (what, wanted) => ({ what, wanted, figure: 'not measured', reached: null, bound: '' })

/**
 * The cost of the best rival divided by ours.
 *
 * @param {Results} results
 * @param {{ part: string, delays: string, count?: number, times: number, among?: (design: Design) => boolean, kind?: string }} bar
 * @returns {Bar}
 */
function ahead(
  results,
  { part, delays, count = MILLION, times, among = isExact, kind = 'the best exact rival' },
) {
  const what = `${part}, ${delays}`
  const wanted =
    times >= 1 ? `at least ${times} times faster than ${kind}` : `within ${1 / times} times of ${kind}`
  const own = results.median(part, delays, count)
  const { name, cost } = results.best(part, delays, count, among)
  if (own === undefined || cost === Infinity) return notMeasured(what, wanted)
  const ratio = cost / own
  const bound = results.median(part, delays, count, BOUND)
  return {
    what,
    wanted,
    figure: `${ratio.toFixed(2)} times (${ns(own)} ns; ${name} ${ns(cost)} ns)`,
    reached: ratio >= times,
    bound: bound === undefined ? '' : `${(cost / bound).toFixed(2)} times (${ns(bound)} ns)`,
  }
}

/**
 * @param {Results} results
 * @returns {Bar[]}
 */
function againstRivals(results) {
  const delays = ['all-30s', 'uniform', 'bimodal']
  /** @param {{ part: string, times: number, among?: (design: Design) => boolean, kind?: string }} bar */
  const each = (bar) => delays.map((kind) => ahead(results, { ...bar, delays: kind }))
  return [
    ...each({ part: 'expire', times: 4 }),
    ...each({ part: 'insert-cancel', times: 2 }),
    ...each({ part: 'reschedule', times: 2 }),
    ...['all-30s', 'uniform'].map((kind) =>
      ahead(results, { part: 'service', delays: kind, count: 100_000, times: 2.5 }),
    ),
    ahead(results, { part: 'idle', delays: 'all-30s', times: 5 }),
    ...each({ part: 'insert', times: 0.4 }),
    ...each({
      part: 'cancel',
      times: 5,
      among: ({ marks }) => !marks,
      kind: 'every rival that unlinks at once',
    }),
    // As fast: a tenth more is within the spread.
    ...each({ part: 'cancel', times: 1 / 1.1, among: ({ marks }) => marks, kind: 'those that only mark' }),
  ]
}

/**
 * @param {Results} results
 * @returns {Bar[]}
 */
function memory(results) {
  const live = results.median('bytes', 'uniform', MILLION, OURS, 'bytes')
  const worst = results.median('bytes', 'uniform', MILLION, OURS, 'worst')
  if (live === undefined || worst === undefined) return [notMeasured('bytes per timer', 'at most 13')]
  return [
    {
      what: 'bytes per timer, live',
      wanted: 'at most 13',
      figure: live.toFixed(1),
      reached: live <= 13,
      bound: '',
    },
    {
      what: 'bytes per timer, whatever is cancelled',
      wanted: 'at most 26',
      figure: worst.toFixed(1),
      reached: worst <= 26,
      bound: '',
    },
  ]
}

/**
 * @param {Results} results
 * @returns {Bar[]}
 */
function atTenMillion(results) {
  return ['insert', 'cancel', 'insert-cancel', 'reschedule', 'expire'].flatMap((part) =>
    ['all-30s', 'uniform'].map((delays) => {
      const what = `${part}, ${delays}, at 10,000,000`
      const wanted = 'at most 4 times its cost at 1,000,000'
      const small = results.median(part, delays, MILLION)
      const large = results.median(part, delays, 10 * MILLION)
      if (small === undefined || large === undefined) return notMeasured(what, wanted)
      const ratio = large / small
      return {
        what,
        wanted,
        figure: `${ratio.toFixed(2)} times (${ns(large)} ns after ${ns(small)} ns)`,
        reached: ratio <= 4,
        bound: '',
      }
    }),
  )
}

/**
 * @param {Results} results
 * @returns {Bar[]}
 */
function independentOfCount(results) {
  return ['empty-hour', 'next-expiry'].map((part) => {
    const wanted = 'independent of N: at 1,000,000 at most twice the cost at 1,000'
    const small = results.median(part, 'far', 1000)
    const large = results.median(part, 'far', MILLION)
    if (small === undefined || large === undefined) return notMeasured(part, wanted)
    const figure = `${ns(small)} ns at 1,000; ${ns(large)} ns at 1,000,000`
    return { what: part, wanted, figure, reached: large <= 2 * small, bound: '' }
  })
}

/**
 * @param {Results} results
 * @returns {Bar[]}
 */
function longest(results) {
  return ['all-30s', 'uniform'].map((delays) => {
    const what = `longest advance of the service, ${delays}`
    const longest = results.median('service', delays, 100_000, OURS, 'longest')
    if (longest === undefined) return notMeasured(what, 'under 0.5 ms')
    return {
      what,
      wanted: 'under 0.5 ms',
      figure: `${(longest / 1e6).toFixed(3)} ms`,
      reached: longest < 500_000,
      bound: '',
    }
  })
}

/**
 * @param {MeasuredRow[]} rows
 * @param {Design[]} designs
 * @returns {Bar[]}
 */
export function computeBars(rows, designs) {
  const results = new Results(rows, designs)
  return [againstRivals, memory, atTenMillion, independentOfCount, longest].flatMap((part) => part(results))
}
