/** The same work on several lines of Node and in several browsers: how many times less it costs than with native timers. */

import { ENGINES } from '../browser/contenders.mjs'
import { drawBars } from './bar-chart.mjs'
import { formatMedian } from './format.mjs'
import { escapeHtml, table } from './html.mjs'

/**
 * @import { Metric, Row } from '../runner/harness.mjs'
 * @import { ShownResult } from './section.mjs'
 *
 * @typedef {[part: string, metric: string]} Place
 * @typedef {{ name: string, group: 'addon' | 'wasm', metric: Metric, native: Row, ours: Row }} Comparison
 */

/** @type {{ title: string, inNode: Place, inPages: Place }[]} */
const works = [
  {
    title: 'Set and clear at once',
    inNode: ['set-clear', 'atOnce'],
    inPages: ['browser-set-clear', 'atOnce'],
  },
  { title: 'Set, and clear later', inNode: ['set-clear', 'later'], inPages: ['browser-set-clear', 'later'] },
  { title: 'Refresh', inNode: ['refresh', 'refresh'], inPages: ['browser-refresh', 'refresh'] },
  { title: 'Set and fire', inNode: ['set-fire', 'cpu'], inPages: ['browser-fire', 'thread'] },
  { title: 'Memory', inNode: ['hold', 'resident'], inPages: ['browser-hold', 'bytes'] },
]

/**
 * @param {ShownResult[]} results
 * @param {Place} place
 * @param {{ group: 'addon' | 'wasm', native: string, ours: string, nameOf: (result: ShownResult) => string }} how
 *   `native` and `ours` are ids of rows.
 * @returns {Comparison[]}  Empty if it was not measured.
 */
function compare(results, [part, key], { group, native: nativeId, ours: oursId, nameOf }) {
  const result = results.find((one) => one.part === part)
  const metric = result?.metrics.find((one) => one.key === key)
  const native = result?.rows.find(({ id }) => id === nativeId)
  const ours = result?.rows.find(({ id }) => id === oursId)
  if (result === undefined || metric === undefined) return []
  if (native?.values[key] === undefined || ours?.values[key] === undefined) return []
  return [{ name: nameOf(result), group, metric, native, ours }]
}

/** @param {Comparison} comparison */
const ratioOf = ({ metric: { key }, native, ours }) => native.values[key].median / ours.values[key].median

/**
 * @param {string} title
 * @param {Comparison[]} comparisons
 */
function showWork(title, comparisons) {
  const rows = comparisons.map((one) => {
    const ratio = ratioOf(one)
    const times = { median: ratio, min: ratio, max: ratio, turns: 1 }
    return { id: one.name, label: one.name, group: one.group, values: { times } }
  })
  const bars = drawBars({ rows }, { key: 'times', label: '', unit: 'times', digits: 1 })
  const lines = comparisons.map((one) => [
    escapeHtml(one.name),
    escapeHtml(formatMedian(one.native, one.metric)),
    escapeHtml(formatMedian(one.ours, one.metric)),
  ])
  return `<section><h3>${title}</h3>${bars}${table(['', 'native', 'timeout-wheel'], lines)}</section>`
}

/**
 * @param {ShownResult[]} inNode
 * @param {ShownResult[]} inPages
 * @param {ShownResult[][]} onOtherNodes
 */
export function showSideBySide(inNode, inPages, onOtherNodes) {
  const sections = works.flatMap(({ title, inNode: nodePlace, inPages: pagePlace }) => {
    const node = /** @type {const} */ ({ group: 'addon', native: 'native', ours: 'addon-handles' })
    const comparisons = [
      ...[inNode, ...onOtherNodes].flatMap((results) =>
        compare(results, nodePlace, {
          ...node,
          nameOf: (result) => `Node ${Number.parseInt(result.node.slice(1), 10)}`,
        }),
      ),
      ...Object.entries(ENGINES).flatMap(([engine, name]) =>
        compare(inPages, pagePlace, {
          group: 'wasm',
          native: `${engine}-window-native`,
          ours: `${engine}-window-handles`,
          nameOf: () => name,
        }),
      ),
    ]
    return comparisons.length === 0 ? [] : [showWork(title, comparisons)]
  })
  return `<p>A bar shows the native cost divided by the cost of <code>setTimeout</code> of this package. More is better here: 2 means half
the cost, below 1 means a loss. Node runs the addon, browsers run WebAssembly.</p>
${sections.join('\n')}`
}
