/**
 * Compares results with the figures to reach.
 *
 * @import { Bar } from './bars.mjs'
 * @import { Metric, Row } from '../runner/harness.mjs'
 * @import { Result } from './format.mjs'
 *
 * @typedef {object} Verdict
 * @property {string} work
 * @property {string} native  The figure with its unit; `-` if there is none to compare with.
 * @property {string} ours
 * @property {string} ratio  The native figure divided by ours.
 * @property {string} bar
 * @property {boolean} reached
 */

import { floors } from '../contenders/index.mjs'
import { bars, WASM_TO_ADDON } from './bars.mjs'
import { formatColumns, formatMedian, formatValue } from './format.mjs'

/**
 * @param {Bar['value']} value
 * @param {string} node  `v20.1.2`
 */
const ofNode = (value, node) =>
  typeof value === 'number' ? value : Number.parseInt(node.slice(1), 10) >= 24 ? value.from24 : value.to22

/** @param {number} ratio */
const times = (ratio) => (Number.isFinite(ratio) ? `${ratio.toFixed(ratio < 10 ? 2 : 1)}x` : '-')

/**
 * @param {Row | undefined} row
 * @param {string} metric
 */
const medianOf = (row, metric) => row?.values[metric]?.median

/**
 * @param {Bar} bar
 * @param {Result} result
 * @returns {Verdict[]}  none if the row was not measured
 */
function judge(bar, { metrics, rows, node }) {
  const metric = /** @type {Metric} */ (metrics.find(({ key }) => key === bar.metric))
  const row = rows.find(({ id }) => id === bar.row)
  const base = rows.find((one) => (bar.base === undefined ? one.group === 'native' : one.id === bar.base))
  const own = medianOf(row, bar.metric)
  if (row === undefined || own === undefined) return []
  const other = medianOf(base, bar.metric)
  const value = ofNode(bar.value, node)
  const figures = {
    work: bar.work,
    native: base === undefined ? '-' : formatMedian(base, metric),
    ours: formatMedian(row, metric),
  }
  const wanted = formatValue(value, metric)
  if (bar.kind === 'most') {
    const ratio = other === undefined ? '-' : times(other / own)
    return [{ ...figures, ratio, bar: `at most ${formatExact(value, metric)}`, reached: own <= value }]
  }
  if (other === undefined) return []
  if (bar.kind === 'above') {
    const more = `${own < other ? '' : '+'}${formatValue(own - other, metric)}`
    return [{ ...figures, ratio: more, bar: `at most +${wanted}`, reached: own - other <= value }]
  }
  // 0 is infinitely many times less.
  const ratio = own === 0 ? Infinity : other / own
  return [{ ...figures, ratio: times(ratio), bar: `at least ${value}x`, reached: ratio >= value }]
}

/**
 * The figure to reach as it was set, without more digits.
 *
 * @param {number} value
 * @param {Metric} metric
 */
const formatExact = (value, { unit }) => `${value} ${unit}`.trimEnd()

/**
 * WebAssembly against the addon, for each figure that the addon must reach.
 *
 * @param {Bar} bar
 * @param {Result} result
 * @returns {Verdict[]}
 */
function judgeWasm(bar, { metrics, rows }) {
  const addon = rows.find(({ id }) => id === bar.row)
  const wasm = rows.find(
    ({ id }) => id === (bar.row === 'either' ? 'wasm' : bar.row.replace('addon', 'wasm')),
  )
  const own = medianOf(wasm, bar.metric)
  const other = medianOf(addon, bar.metric)
  if (addon === undefined || wasm === undefined || own === undefined || other === undefined) return []
  const metric = /** @type {Metric} */ (metrics.find(({ key }) => key === bar.metric))
  return [
    {
      work: bar.work,
      native: formatMedian(addon, metric),
      ours: formatMedian(wasm, metric),
      ratio: other === 0 ? '-' : times(own / other),
      bar: `at most ${WASM_TO_ADDON}x`,
      reached: own <= other * WASM_TO_ADDON,
    },
  ]
}

/**
 * @param {Result[]} results
 * @param {(bar: Bar, result: Result) => Verdict[]} compare
 */
const judgeAll = (results, compare) =>
  bars.flatMap((bar) => {
    const result = results.find(({ part }) => part === bar.part)
    return result === undefined ? [] : compare(bar, result)
  })

/** @param {Result[]} results */
export const judgeOurs = (results) => judgeAll(results, judge)

/** @param {Result[]} results */
export const judgeBackends = (results) => judgeAll(results, judgeWasm)

/**
 * The cost of the work without a timer, against the figures to reach. Each timer does this work and more.
 *
 * @param {Result[]} results
 */
export const judgeFloors = (results) =>
  judgeAll(results, (bar, result) =>
    floors
      .filter(({ api }) => bar.row === `addon-${api}`)
      .flatMap(({ id }) => judge({ ...bar, row: id }, result)),
  )

export const FLOORS_HEADING = 'Without a timer: the work that each timer needs'

/**
 * @param {string} heading
 * @param {Verdict[]} verdicts
 * @param {string[]} columns
 */
function formatOne(heading, verdicts, [first, second]) {
  if (verdicts.length === 0) return []
  const header = ['work', first, second, 'ratio', 'wanted', 'reached']
  const lines = verdicts.map(({ work, native, ours, ratio, bar, reached }) => [
    ...[work, native, ours, ratio, bar],
    reached ? 'yes' : 'MISSED',
  ])
  const reached = verdicts.filter((one) => one.reached).length
  return [`\n${heading}: ${reached} of ${verdicts.length} reached`, formatColumns([header, ...lines])]
}

/**
 * @param {Result[]} results
 * @returns {string}
 */
export const formatVerdicts = (results) =>
  [
    ...formatOne('Figures to reach, the addon against native timers', judgeOurs(results), ['native', 'ours']),
    ...formatOne('WebAssembly against the addon', judgeBackends(results), ['addon', 'wasm']),
    ...formatOne(FLOORS_HEADING, judgeFloors(results), ['native', 'without']),
  ].join('\n')
