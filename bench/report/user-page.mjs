/** The page for users: what the package saves, and when it does not help. */

import { showSideBySide } from './environments.mjs'
import { formatMedian } from './format.mjs'
import { escapeHtml, table } from './html.mjs'
import { findLosses } from './losses.mjs'
import { showChart, showOrigins } from './section.mjs'

/**
 * @import { Metric, Row } from '../runner/harness.mjs'
 * @import { ShownResult } from './section.mjs'
 *
 * @typedef {object} Highlight
 * @property {string} part
 * @property {string} metric  The first metric if the chart has lines.
 * @property {string} title
 * @property {string} text
 */

/** @type {Highlight[]} */
const savings = [
  {
    part: 'set-clear',
    metric: 'atOnce',
    title: 'Deadlines of requests',
    text: 'A timer is set for each request, and cleared when the answer arrives.',
  },
  {
    part: 'refresh',
    metric: 'refresh',
    title: 'Idle connections',
    text: 'Each packet restarts the idle timer of its connection. Many timers are pending, and they are refreshed in random order.',
  },
  {
    part: 'distinct',
    metric: 'atOnce',
    title: 'Many different delays',
    text: 'A timer is set and cleared while many are pending, and no two have the same delay.',
  },
  {
    part: 'scale',
    metric: 'at100',
    title: 'Many pending timers',
    text: 'A timer is set and cleared while 100 to 10,000,000 others are pending.',
  },
  {
    part: 'set-fire',
    metric: 'cpu',
    title: 'Timers that fire',
    text: 'Timers of random delays are set, and all of them run. The figure is the CPU time of the whole process for each timer.',
  },
  {
    part: 'hold',
    metric: 'resident',
    title: 'Memory',
    text: 'How much the process grows for each pending timer.',
  },
  {
    part: 'garbage',
    metric: 'pause',
    title: 'Pauses by the garbage collector',
    text: 'The sum of all pauses in ten seconds, while 200,000 timers a second are replaced.',
  },
  {
    part: 'burst',
    metric: 'block',
    title: 'Many timers due at once',
    text: 'The longest time between two turns of the event loop when all timers are due in the same millisecond.',
  },
  {
    part: 'early',
    metric: 'early',
    title: 'Timers that run early',
    text: 'The number of timers that run before their delay has passed.',
  },
]

/** @type {Highlight[]} */
const savingsInPages = [
  {
    part: 'browser-set-clear',
    metric: 'atOnce',
    title: 'In pages: set and clear',
    text: 'A timer is set, and cleared before the next one is set.',
  },
  {
    part: 'browser-refresh',
    metric: 'refresh',
    title: 'In pages: restart a timer',
    text: 'The timers of a page have no refresh. Native timers are cleared and set again.',
  },
  {
    part: 'browser-hold',
    metric: 'bytes',
    title: 'In pages: memory',
    text: "How much the page's process grows for each pending timer.",
  },
  {
    part: 'browser-hidden',
    metric: 'middle',
    title: 'In pages: a hidden tab',
    text: "Browsers hold back the timers of a hidden tab. A wheel with the driver 'worker' is woken by a worker, whose timers are not held back.",
  },
]

/** @type {Highlight[]} */
const besidePackages = [
  {
    part: 'set-clear',
    metric: 'atOnce',
    title: 'Set and clear',
    text: 'The same loop with each package.',
  },
  {
    part: 'refresh',
    metric: 'refresh',
    title: 'Refresh',
    text: 'The same loop with each package.',
  },
  {
    part: 'set-fire',
    metric: 'cpu',
    title: 'Set and fire',
    text: "undici's timers run up to a second late, and up to half a second early.",
  },
]

/** @type {Highlight[]} */
const costs = [
  {
    part: 'service',
    metric: 'cpu',
    title: 'An HTTP service',
    text: 'HTTP costs far more than the seven timer operations of a request. Expect a small difference.',
  },
  {
    part: 'few',
    metric: 'cpu',
    title: 'Ten timers',
    text: 'Ten timers run a hundred times a second. A program with few timers saves nothing.',
  },
  {
    part: 'import',
    metric: 'imported',
    title: 'The import',
    text: 'The package takes some milliseconds to load.',
  },
]

const NUMBERS = 'addon-numbers'

/** @param {Row} row */
const isCommon = ({ id, group }) =>
  group !== 'rival' && group !== 'floor' && !id.endsWith('handlesWithoutContext')

/** @param {Row} row */
const isPackage = ({ id, group }) => group === 'native' || group === 'rival' || id === 'addon-handles'

/**
 * @param {number} native
 * @param {number} ours
 */
function compare(native, ours) {
  if (ours === 0 || native === 0) return ''
  const ratio = native / ours
  if (ratio >= 1.2) return ` (${ratio.toFixed(ratio < 10 ? 1 : 0)} times less)`
  const percent = Math.round((ours / native - 1) * 100)
  return percent === 0 ? ' (equal)' : ` (${Math.abs(percent)}% ${percent < 0 ? 'less' : 'more'})`
}

/**
 * One sentence: our figures instead of the native one.
 *
 * @param {ShownResult} result
 * @param {Metric} metric
 */
function summarize({ rows }, metric) {
  const native = rows.find(({ id }) => id === 'native')
  const ours = rows.filter(({ id }) => id === 'addon-handles' || id === NUMBERS)
  if (native === undefined || ours.length === 0) return ''
  const base = native.values[metric.key].median
  const parts = ours.map(
    (row) =>
      `<b>${escapeHtml(formatMedian(row, metric))}</b> with <code>${row.id === NUMBERS ? 'schedule' : 'setTimeout'}</code>` +
      compare(base, row.values[metric.key].median),
  )
  return ` Native: <b>${escapeHtml(formatMedian(native, metric))}</b>; timeout-wheel: ${parts.join(', ')}.`
}

/**
 * @param {ShownResult[]} results
 * @param {Highlight[]} highlights
 * @param {(row: Row) => boolean} isShown
 */
const showHighlights = (results, highlights, isShown) =>
  highlights
    .flatMap(({ part, metric: key, title, text }) => {
      const result = results.find((one) => one.part === part)
      const metric = result?.metrics.find((one) => one.key === key)
      if (result === undefined || metric === undefined) return []
      const shown = { ...result, rows: result.rows.filter(isShown) }
      const summary = result.chart === 'lines' ? '' : summarize(result, metric)
      return [
        `<section><h3>${title}</h3><p>${text}${summary} <a href="development.html#${part}">Method and all figures</a></p>` +
          `${showChart(shown, metric)}</section>`,
      ]
    })
    .join('\n')

/** @param {ShownResult[]} results */
function showLosses(results) {
  const lines = findLosses(results).map(({ part, title, metric, row, native, ours, ratio }) => [
    `<a href="development.html#${part}">${escapeHtml(title)}</a>: ${escapeHtml(metric)}, ${escapeHtml(row)}`,
    escapeHtml(native),
    escapeHtml(ours),
    Number.isFinite(ratio) ? ratio.toFixed(2) : '-',
  ])
  if (lines.length === 0) return '<p>No figure of the addon is worse than that of native timers.</p>'
  return (
    '<p>Each figure of the addon that is worse than that of native timers by more than 3%:</p>' +
    `<div class="verdicts">${table(['', 'native', 'ours', 'ratio'], lines)}</div>`
  )
}

const whereItDoesNotPay = `<ul class="plain">
<li><b>Few timers.</b> A program with ten or some hundreds of timers saves nothing that it can notice: a microsecond a hundred times
a second is a ten-thousandth of a processor. It pays some milliseconds at its start, and the memory of a wheel.</li>
<li><b>Sparse timers.</b> If timers run one at a time and far apart, each of them wakes the process. The wheel saves only if one
wake-up serves many timers.</li>
<li><b>A page with few timers.</b> It loads and compiles a script and a small WebAssembly module that it does not need.</li>
<li><b>Other work.</b> In an HTTP service, HTTP costs far more than the timers of a request.</li>
<li><b>Lateness below a millisecond.</b> Timers of this package never run early, so they run up to a millisecond later than those
of Node, which run up to a millisecond early.</li>
</ul>`

const method = `<ul class="plain">
<li><b>In turn.</b> The contenders of a part are measured one after the other, A B C A B C, so that a slow spell of the machine
affects all of them. Compare ratios within a part, not times of two parts or two machines.</li>
<li><b>Medians.</b> A bar is the median of the turns; its whisker goes from the least to the greatest turn. Native timers and the
addon have at least seven turns in each part, except in the search for early timers, which has one turn of ten million timers.
WebAssembly and other packages have fewer turns in the long parts.</li>
<li><b>The same code.</b> Each contender runs the same loops with the same callbacks in its own process, so that the engine
compiles the loops for it alone.</li>
<li><b>Again.</b> <code>npm run bench -- full</code> measures the parts in Node, <code>npm run bench -- nodes</code> other lines of
Node, <code>npm run bench -- browser</code> browsers, and <code>npm run bench -- report</code> makes this page.</li>
</ul>`

/**
 * @param {ShownResult[]} inNode
 * @param {ShownResult[]} inPages
 * @param {ShownResult[][]} onOtherNodes
 */
export const userPage = (
  inNode,
  inPages,
  onOtherNodes,
) => `<h1>timeout-wheel: what it saves, and when it does not help</h1>
<p>Native timers and timeout-wheel, measured side by side. A bar is a median. Less is better, unless a chart says otherwise.</p>
<nav aria-label="Contents"><ul><li><a href="#savings">what you save</a></li><li><a href="#packages">other packages</a></li>
<li><a href="#environments">Node and browsers</a></li><li><a href="#losses">when it does not help</a></li>
<li><a href="#method">machine and method</a></li><li><a href="development.html">all figures</a></li></ul></nav>
<h2 id="savings">What you save</h2>
${showHighlights(inNode, savings, isCommon)}
${showHighlights(inPages, savingsInPages, () => true)}
<h2 id="packages">Beside other packages</h2>
${showHighlights(inNode, besidePackages, isPackage)}
<h2 id="environments">Node and browsers, side by side</h2>
${showSideBySide(inNode, inPages, onOtherNodes)}
<h2 id="losses">When it does not help</h2>
${whereItDoesNotPay}
${showHighlights(inNode, costs, isCommon)}
${showLosses(inNode)}
<h2 id="method">Machine and method</h2>
${[inNode, ...onOtherNodes, inPages].map(showOrigins).join('\n')}
${method}`
