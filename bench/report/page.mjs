/**
 * The report as one HTML page that needs nothing else.
 *
 * @import { Metric, Row } from '../harness.mjs'
 * @import { Result } from '../report.mjs'
 * @import { Verdict } from '../verdicts.mjs'
 *
 * @typedef {{ what: string, figure: string, wanted: string, reached: boolean | null }} OwnBar  A part's own, in its result.
 * @typedef {Result & { bars?: OwnBar[], browsers?: Record<string, string> }} ShownResult
 */

import { readFileSync } from 'node:fs'
import { formatEnvironment, formatMedian, formatValue, ratioToNative } from '../report.mjs'
import { FLOORS_HEADING, judgeBackends, judgeFloors, judgeOurs } from '../verdicts.mjs'
import { drawBars } from './bars.mjs'
import { escapeHtml, markUp, table } from './html.mjs'
import { drawLines } from './lines.mjs'
import { findLosses } from './losses.mjs'

const style = readFileSync(new URL('style.css', import.meta.url), 'utf8')

/** @param {boolean | null} reached */
const mark = (reached) =>
  reached === null ? '-' : reached ? '<span class="yes">reached</span>' : '<span class="no">missed</span>'

/**
 * @param {string} heading
 * @param {Verdict[]} verdicts
 * @param {[string, string]} columns
 */
function showVerdicts(heading, verdicts, columns) {
  if (verdicts.length === 0) return ''
  const reached = verdicts.filter((one) => one.reached).length
  const lines = verdicts.map(({ work, native, ours, ratio, bar, reached }) => [
    ...[work, native, ours, ratio, bar].map(escapeHtml),
    mark(reached),
  ])
  return (
    `<h3>${escapeHtml(heading)}: ${reached} of ${verdicts.length} reached</h3>` +
    `<div class="verdicts">${table(['', ...columns, 'ratio', 'bar', ''], lines)}</div>`
  )
}

/** @param {ShownResult[]} results */
const showAllVerdicts = (results) =>
  showVerdicts('The addon against native timers', judgeOurs(results), ['native', 'ours']) +
  showVerdicts('WebAssembly against the addon', judgeBackends(results), ['addon', 'wasm']) +
  showVerdicts(FLOORS_HEADING, judgeFloors(results), ['native', 'without'])

/** @param {ShownResult[]} results */
function showOwnBars(results) {
  const bars = results.flatMap((result) => result.bars ?? [])
  if (bars.length === 0) return ''
  const reached = bars.filter((bar) => bar.reached).length
  const lines = bars.map((bar) => [
    escapeHtml(bar.what),
    escapeHtml(bar.figure),
    escapeHtml(bar.wanted),
    mark(bar.reached),
  ])
  return (
    `<h3>In browsers: ${reached} of ${bars.length} reached</h3>` +
    `<div class="verdicts">${table(['', 'figure', 'bar', ''], lines)}</div>`
  )
}

/**
 * @param {Row} row
 * @param {Metric} metric
 */
function showCell(row, metric) {
  const summary = row.values[metric.key]
  if (summary === undefined) return '-'
  const { min, max, turns } = summary
  const bare = { ...metric, unit: '' }
  const spread = `${formatValue(min, bare)} – ${formatValue(max, bare)}`
  const shown = turns > 1 ? ` <span class="spread">(${escapeHtml(spread)})</span>` : ''
  return escapeHtml(formatMedian(row, metric)) + shown
}

/** @param {number | undefined} ratio */
const showRatio = (ratio) => (ratio === undefined ? '-' : ratio < 1 ? ratio.toPrecision(2) : ratio.toFixed(2))

/** @param {ShownResult} result */
function showPart(result) {
  const { part, title, note, metrics, rows, missing, chart } = result
  // Of lines each metric is a point: no single one is compared.
  const compared = chart !== 'lines'
  const header = ['', ...metrics.map(({ label }) => label), ...(compared ? ['to native'] : []), 'turns']
  const lines = rows.map((row) => [
    escapeHtml(row.label),
    ...metrics.map((metric) => showCell(row, metric)),
    ...(compared ? [showRatio(ratioToNative(row, result))] : []),
    String(Math.max(...Object.values(row.values).map(({ turns }) => turns))),
  ])
  const [first] = metrics
  const drawing = compared ? drawBars(result, first) : drawLines(result)
  const caption = compared ? `<p class="note">${escapeHtml(first.label)}, less is better:</p>` : ''
  const absent = missing.map(
    ({ label, reason }) => `<p class="note">Not measured: ${escapeHtml(label)}: ${escapeHtml(reason)}</p>`,
  )
  return (
    `<section id="${part}"><h3>${markUp(title)}</h3><p class="note">${markUp(note)}</p>` +
    `${drawing === '' ? '' : caption}${drawing}${table(header, lines)}${absent.join('')}</section>`
  )
}

/** @param {ShownResult[]} results */
function showLosses(results) {
  const losses = findLosses(results)
  const lines = losses.map(({ part, title, metric, row, native, ours, ratio }) => [
    `<a href="#${part}">${markUp(title)}</a>: ${escapeHtml(metric)}, ${escapeHtml(row)}`,
    escapeHtml(native),
    escapeHtml(ours),
    Number.isFinite(ratio) ? ratio.toFixed(2) : '-',
  ])
  const found =
    lines.length === 0
      ? '<p>In no part of these results is a figure of the addon worse than that of native timers.</p>'
      : '<p>Every figure of these results in which the addon is worse than native timers by more than 3%:</p>' +
        `<div class="verdicts">${table(['', 'native', 'ours', 'ratio'], lines)}</div>`
  const has = (/** @type {string} */ name) => results.some(({ part }) => part === name)
  const link = (/** @type {string} */ name, /** @type {string} */ text) =>
    has(name) ? `<a href="#${name}">${text}</a>` : text
  return `${found}
<ul class="plain">
<li><b>Few timers.</b> A program with ten timers, or some hundreds, notices nothing of what a timer costs: a
microsecond, a hundred times a second, is a ten-thousandth of a processor. It pays ${link('import', 'some milliseconds when it starts')},
the memory that a wheel begins with, and ${link('few', 'what a wake-up costs')}.</li>
<li><b>Sparse wake-ups.</b> Where timers run one at a time, far apart, each wakes the process once, with whichever
timers. The wheel saves where one wake-up serves many.</li>
<li><b>A page with ten timers</b> looks the same and moves the same. It loads and compiles a script and a small WebAssembly
module that it does not need.</li>
<li><b>Work around the timers.</b> In ${link('service', 'an HTTP service')}, HTTP costs far more than the timers of a request.</li>
<li><b>Sub-millisecond lateness.</b> A timer here is never early, and so up to a millisecond later than Node's, which
${link('precision', 'run up to one early')}.</li>
</ul>`
}

/** @param {ShownResult[]} results */
function showOrigins(results) {
  /** @type {Map<string, string[]>} */
  const origins = new Map()
  for (const result of results) {
    const browsers = Object.values(result.browsers ?? {})
    const origin = `${[formatEnvironment(result), ...browsers].join(' - ')}, ${result.date.slice(0, 10)}`
    origins.set(origin, [...(origins.get(origin) ?? []), result.part])
  }
  return [...origins]
    .map(([origin, parts]) => {
      const which = origins.size === 1 ? '' : `${parts.join(', ')}: `
      return `<p class="origin">${escapeHtml(which + origin)}</p>`
    })
    .join('\n')
}

const method = `
<ul class="plain">
<li><b>In turn.</b> Within a part the contenders are measured one after the other, A B C A B C, so that a slow spell of the
machine falls on all. Figures are medians; beside them stand the least and the greatest. Compare ratios within a
part, not times of two parts or two machines.</li>
<li><b>Turns.</b> The long form gives native timers and the addon at least seven in each part but the search for early timers,
which has one of ten million; WebAssembly and rivals have fewer in the long parts. The tables say how many each had, and on
which commit a part was measured stands at the top.</li>
<li><b>The same loops.</b> Every contender runs the same code with the same callbacks, in a process of its own, so that the
engine compiles for it alone.</li>
<li><b>Without a timer</b>: for handles with an async context, AsyncResources are made, kept, written into or run at their time; for
others an object is made and kept; for numbers a callback is kept. Timers do the same and more: a bar that is missed there is
hardly within their reach.</li>
<li><b>The bars</b> are what the project has set out to reach. One that is missed is shown as missed.</li>
</ul>`

/**
 * The same bars on another line of Node, without the tables.
 *
 * @param {ShownResult[]} results
 */
function showOtherNode(results) {
  const [first] = results
  if (first === undefined) return ''
  return `<h3>On Node ${escapeHtml(first.node.slice(1))}</h3>
${showOrigins(results)}
${showAllVerdicts(results)}`
}

/**
 * @param {ShownResult[]} results
 * @param {ShownResult[][]} onOtherNodes
 * @returns {string}
 */
export function makePage(results, onOtherNodes = []) {
  const inNode = results.filter(({ part }) => !part.startsWith('browser-'))
  const inPages = results.filter(({ part }) => part.startsWith('browser-'))
  const links = results.map(({ part }) => `<li><a href="#${part}">${escapeHtml(part)}</a></li>`)
  const sections = [
    `<h1>timeout-wheel: measured</h1>
<p>Millions of timeouts on one operating-system timer, against Node's own timers and against what one would pick
instead. Every figure on this page is made from the results of <code>npm run bench:full</code>, or of parts of it;
    those on other lines of Node, of <code>npm run bench:nodes</code>.</p>
${showOrigins(results)}
<nav aria-label="Contents"><ul><li><a href="#bars">figures to reach</a></li><li><a href="#losses">where it loses</a></li>
<li><a href="#method">method</a></li>${links.join('')}</ul></nav>`,
    `<h2 id="bars">Figures to reach</h2>
${showAllVerdicts(inNode)}
${onOtherNodes.map(showOtherNode).join('\n')}
${showOwnBars(inPages)}`,
    `<h2 id="losses">Where it loses, or does not matter</h2>\n${showLosses(inNode)}`,
    `<h2 id="method">How it is measured</h2>${method}`,
    `<h2>In Node</h2>\n${inNode.map(showPart).join('\n')}`,
    inPages.length === 0 ? '' : `<h2>In browsers</h2>\n${inPages.map(showPart).join('\n')}`,
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>timeout-wheel: measured</title>
<style>
${style}</style>
</head>
<body>
<main>
${sections.join('\n')}
</main>
</body>
</html>
`
}
