/**
 * Compares results with the figures to reach: the bars of the parts.
 *
 * A bar names a `metric` and the `row` that must reach it. Its `kind` is `times` (the figure of the row `base`, the native one if not
 * given, is at least `value` times ours), `most` (ours is at most `value`) or `above` (ours is at most `value` more than that of
 * `base`). The value may differ by the line of Node: `{ to22, from24 }`. `of: 'max'` or `'min'` judges this value of all turns. A verdict
 * has the figures as text, and `reached`: true, false, or null if there are fewer turns than `leastTurns`.
 */
import { floors } from '../contenders/index.mjs'
import { formatColumns, formatMedian, formatValue } from './format.mjs'

/** For each figure that the addon must reach, WebAssembly may need at most so many times the addon's figure. */
const WASM_TO_ADDON = 1.3

const ofNode = (value, node) =>
  typeof value === 'number' ? value : Number.parseInt(node.slice(1), 10) >= 24 ? value.from24 : value.to22

const times = (ratio) => (Number.isFinite(ratio) ? `${ratio.toFixed(ratio < 10 ? 2 : 1)}x` : '-')

const metricOf = (bar, metrics) => metrics.find(({ key }) => key === bar.metric)

function judge(bar, { metrics, rows, node }) {
  const metric = metricOf(bar, metrics)
  const row = rows.find(({ id }) => id === bar.row)
  const summary = row?.values[bar.metric]
  if (!summary) return []
  const own = summary[bar.of ?? 'median']
  const base = rows.find((one) => (bar.base === undefined ? one.group === 'native' : one.id === bar.base))
  const other = base?.values[bar.metric]?.median
  const value = ofNode(bar.value, node)
  const figures = {
    work: bar.work,
    native: base === undefined ? '-' : formatMedian(base, metric),
    ours: formatMedian(row, metric),
  }
  const verdict = (ratio, wanted, reached) => {
    const isKnown = !reached || summary.turns >= (bar.leastTurns ?? 1)
    return [{ ...figures, ratio, bar: wanted, reached: isKnown ? reached : null }]
  }
  if (bar.kind === 'most') {
    const ratio = other === undefined ? '-' : times(other / own)
    return verdict(ratio, `at most ${value} ${metric.unit}`.trimEnd(), own <= value)
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

function judgeWasm(bar, { metrics, rows }) {
  const id = bar.row === 'either' ? 'wasm' : bar.row.replace('addon', 'wasm')
  const addon = rows.find((row) => row.id === bar.row)
  const wasm = id === bar.row ? undefined : rows.find((row) => row.id === id)
  const [own, other] = [wasm, addon].map((row) => row?.values[bar.metric]?.median)
  if (own === undefined || other === undefined) return []
  const [before, now] = [addon, wasm].map((row) => formatMedian(row, metricOf(bar, metrics)))
  const ratio = other === 0 ? '-' : times(own / other)
  const reached = own <= other * WASM_TO_ADDON
  return [{ work: bar.work, native: before, ours: now, ratio, bar: `at most ${WASM_TO_ADDON}x`, reached }]
}

/** The cost of the work without a timer, against the figures to reach. Each timer does this work and more. */
const judgeFloors = (bar, result) =>
  floors
    .filter(({ api }) => bar.row === `addon-${api}`)
    .flatMap(({ id }) => judge({ ...bar, row: id }, result))

const judgeAll = (results, compare) =>
  results.flatMap((result) => (result.bars ?? []).flatMap((bar) => compare(bar, result)))

/** The verdicts under their headings, with the headings of two columns of figures. Groups without a verdict are left out. */
export const findVerdicts = (results) =>
  [
    {
      heading: 'Figures to reach, this package against native timers',
      columns: ['native', 'ours'],
      verdicts: [...judgeAll(results, judge), ...results.flatMap((result) => result.judge?.(result) ?? [])],
    },
    {
      heading: 'WebAssembly against the addon',
      columns: ['addon', 'wasm'],
      verdicts: judgeAll(results, judgeWasm),
    },
    {
      heading: 'Without a timer: the work that each timer needs',
      columns: ['native', 'without'],
      verdicts: judgeAll(results, judgeFloors),
    },
  ].filter(({ verdicts }) => verdicts.length > 0)

/** The verdicts under a heading as a table. `marks` has the words for reached, missed and neither. */
export const tableOfVerdicts = ({ heading, columns, verdicts }, [yes, no, open]) => ({
  title: `${heading}: ${verdicts.filter(({ reached }) => reached).length} of ${verdicts.length} reached`,
  lines: [
    ['work', ...columns, 'ratio', 'wanted', 'reached'],
    ...verdicts.map(({ work, native, ours, ratio, bar, reached }) => [
      ...[work, native, ours, ratio, bar],
      reached === null ? open : reached ? yes : no,
    ]),
  ],
})

export const formatVerdicts = (results) =>
  findVerdicts(results)
    .map((group) => tableOfVerdicts(group, ['yes', 'MISSED', '-']))
    .map(({ title, lines }) => `\n${title}\n${formatColumns(lines)}`)
    .join('\n')
