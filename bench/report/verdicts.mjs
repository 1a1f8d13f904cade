/**
 * Compares results with the figures to reach: the bars of the parts.
 *
 * A bar names a `metric` and the `row` that must reach it. Its `kind` is `times` (the figure of the row `base`, the native one if not
 * given, is at least `value` times ours), `most` (ours is at most `value`) or `above` (ours is at most `value` more than that of
 * `base`). The value may differ by the line of Node: `{ to22, from24 }`. `of: 'max'` or `'min'` judges this value of all turns. A verdict
 * has the figures as text, and `reached`: true, false, or null if there are fewer turns than `leastTurns`.
 */
import { floors } from '../contenders/index.mjs'
import { comparedWith, formatColumns, formatMedian, formatValue, metricOf } from './format.mjs'
import { lineOf, medianOf } from './read.mjs'

/** For each figure that the addon must reach, WebAssembly may need at most so many times the addon's figure. */
const WASM_TO_ADDON = 1.3

const times = (ratio) => (Number.isFinite(ratio) ? `${ratio.toFixed(ratio < 10 ? 2 : 1)}x` : '-')

function judge(bar, result) {
  const row = result.rows.find(({ id }) => id === bar.row)
  const summary = row?.values[bar.metric]
  if (!summary) return []
  const own = summary[bar.of ?? 'median']
  const base = comparedWith({ against: bar.base }, result.rows)
  const other = base?.values[bar.metric]?.median
  const value = bar.value[lineOf(result) >= 24 ? 'from24' : 'to22'] ?? bar.value
  const metric = metricOf(result, bar.metric)
  const figures = { work: bar.work, native: formatMedian(base, metric), ours: formatMedian(row, metric) }
  const verdict = (ratio, wanted, reached) => {
    const isKnown = !reached || summary.turns >= (bar.leastTurns ?? 1)
    return [{ ...figures, ratio, bar: wanted, reached: isKnown ? reached : null }]
  }
  if (bar.kind === 'most') {
    return verdict(times(other / own), `at most ${value} ${metric.unit}`.trimEnd(), own <= value)
  }
  if (other === undefined) return []
  if (bar.kind === 'above') {
    const more = `${own < other ? '' : '+'}${formatValue(own - other, metric)}`
    return verdict(more, `at most +${formatValue(value, metric)}`, own - other <= value)
  }
  // 0 is infinitely many times less.
  const ratio = own === 0 ? Infinity : other / own
  return verdict(times(ratio), `at least ${value < 1 ? value.toFixed(2) : value}x`, ratio >= value)
}

function judgeWasm({ work, metric, row }, result) {
  const id = row === 'either' ? 'wasm' : row.replace('addon', 'wasm')
  const [own, other] = [id, row].map((one) => medianOf(result, one, metric))
  if (id === row || own === undefined || other === undefined) return []
  const [native, ours] = [other, own].map((value) => formatValue(value, metricOf(result, metric)))
  const bar = `at most ${WASM_TO_ADDON}x`
  return [{ work, native, ours, ratio: times(own / other), bar, reached: own <= other * WASM_TO_ADDON }]
}

/** The cost of the work without a timer, against the figures to reach. Each timer with a handle does this work and more. */
const judgeFloors = (bar, result) =>
  bar.row === 'addon-handles' ? floors.flatMap(({ id }) => judge({ ...bar, row: id }, result)) : []

const judgeBars = (compare) => (result) => (result.bars ?? []).flatMap((bar) => compare(bar, result))

const judgeAll = (result) => [...judgeBars(judge)(result), ...(result.judge?.(result) ?? [])]

/** Each with its heading, and the headings of two columns of figures. */
const groups = [
  ['Figures to reach, this package against native timers', ['native', 'ours'], judgeAll],
  ['WebAssembly against the addon', ['addon', 'wasm'], judgeBars(judgeWasm)],
  ['Without a timer: the work that each timer needs', ['native', 'without'], judgeBars(judgeFloors)],
]

/** The verdicts under their headings. Groups without a verdict are left out. */
export const findVerdicts = (results) =>
  groups
    .map(([heading, columns, compare]) => ({ heading, columns, verdicts: results.flatMap(compare) }))
    .filter(({ verdicts }) => verdicts.length > 0)

/** The same as tables with titles. `marks` has the texts for verdicts that are `true`, `false` and `null`. */
export const tablesOfVerdicts = (results, marks) =>
  findVerdicts(results).map(({ heading, columns, verdicts }) => ({
    title: `${heading}: ${verdicts.filter(({ reached }) => reached).length} of ${verdicts.length} reached`,
    lines: [
      ['work', ...columns, 'ratio', 'wanted', 'reached'],
      ...verdicts.map((one) => [one.work, one.native, one.ours, one.ratio, one.bar, marks[one.reached]]),
    ],
  }))

export const formatVerdicts = (results) =>
  tablesOfVerdicts(results, { true: 'yes', false: 'MISSED', null: '-' })
    .map(({ title, lines }) => `\n${title}\n${formatColumns(lines)}`)
    .join('\n')
