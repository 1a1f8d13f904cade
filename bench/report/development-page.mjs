/** The page for developers of this package: the figures to reach, and every table. */

import { formatCliffs } from '../cliffs/table.mjs'
import { escapeHtml, table } from './html.mjs'
import { showOrigins, showPart } from './section.mjs'
import { FLOORS_HEADING, judgeBackends, judgeFloors, judgeOurs } from './verdicts.mjs'

/**
 * @import { ShownResult } from './section.mjs'
 * @import { Verdict } from './verdicts.mjs'
 */

/** @param {boolean | null} reached */
const mark = (reached) =>
  reached === null ? '-' : reached ? '<span class="yes">reached</span>' : '<span class="no">missed</span>'

/**
 * @param {string} heading
 * @param {{ reached: boolean | null }[]} bars
 * @param {string[]} header
 * @param {string[][]} lines
 */
const showBars = (heading, bars, header, lines) =>
  bars.length === 0
    ? ''
    : `<h3>${escapeHtml(heading)}: ${bars.filter(({ reached }) => reached).length} of ${bars.length} reached</h3>` +
      `<div class="verdicts">${table(['', ...header, ''], lines)}</div>`

/**
 * @param {string} heading
 * @param {Verdict[]} verdicts
 * @param {[string, string]} columns
 */
const showVerdicts = (heading, verdicts, columns) =>
  showBars(
    heading,
    verdicts,
    [...columns, 'ratio', 'wanted'],
    verdicts.map(({ work, native, ours, ratio, bar, reached }) => [
      ...[work, native, ours, ratio, bar].map(escapeHtml),
      mark(reached),
    ]),
  )

/** @param {ShownResult[]} results */
const showAllVerdicts = (results) =>
  showVerdicts('The addon against native timers', judgeOurs(results), ['native', 'ours']) +
  showVerdicts('WebAssembly against the addon', judgeBackends(results), ['addon', 'wasm']) +
  showVerdicts(FLOORS_HEADING, judgeFloors(results), ['native', 'without'])

/** @param {ShownResult[]} results */
function showOwnBars(results) {
  const bars = results.flatMap((result) => result.bars ?? [])
  const lines = bars.map(({ what, figure, wanted, reached }) => [
    ...[what, figure, wanted].map(escapeHtml),
    mark(reached),
  ])
  return showBars('In browsers', bars, ['figure', 'wanted'], lines)
}

/**
 * The same figures to reach on another line of Node, without the tables.
 *
 * @param {ShownResult[]} results
 */
const showOtherNode = (results) =>
  `<h3>On Node ${escapeHtml(results[0].node.slice(1))}</h3>\n${showOrigins(results)}\n${showAllVerdicts(results)}`

/** @param {ShownResult} result */
const showCliffs = (result) =>
  result.part === 'cliffs'
    ? `<div class="wide"><pre>${escapeHtml(formatCliffs(/** @type {any} */ (result)))}</pre></div>`
    : ''

/** @param {ShownResult[]} results */
const showParts = (results) => results.map((result) => showPart(result) + showCliffs(result)).join('\n')

/**
 * @param {ShownResult[]} inNode
 * @param {ShownResult[]} inPages
 * @param {ShownResult[][]} onOtherNodes
 */
export function developmentPage(inNode, inPages, onOtherNodes) {
  const links = [...inNode, ...inPages].map(
    ({ part }) => `<li><a href="#${part}">${escapeHtml(part)}</a></li>`,
  )
  return `<h1>timeout-wheel: figures to reach, and every table</h1>
<p>For developers of this package. The <a href="index.html">page for users</a> shows savings and losses.</p>
<nav aria-label="Contents"><ul><li><a href="#bars">figures to reach</a></li>${links.join('')}</ul></nav>
<h2 id="bars">Figures to reach</h2>
<p>The project set these figures. A figure that is missed is shown as missed. The rows without a timer measure only the work
that each timer needs: an AsyncResource is made, kept, written or run for handles with async context; an object is made and kept
for other handles; a callback is kept for numbers. If such a row misses a figure, a timer can hardly reach it.</p>
${showAllVerdicts(inNode)}
${onOtherNodes.map(showOtherNode).join('\n')}
${showOwnBars(inPages)}
<h2>In Node</h2>
${showOrigins(inNode)}
${showParts(inNode)}
${inPages.length === 0 ? '' : `<h2>In browsers</h2>\n${showOrigins(inPages)}\n${showParts(inPages)}`}`
}
