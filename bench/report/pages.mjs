/** The report: a page for users, and a page for developers of this package. They load nothing else. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parts } from '../parts/index.mjs'
import { readOptions, toFolderUrl, UsageError } from '../runner/options.mjs'
import { LAST_RUN, linesOf, RESULTS, readStored } from '../runner/results.mjs'
import { drawBars, drawGrowth, drawScale, quote } from './charts.mjs'
import { comparedWith, formatEnvironment, formatMedian, formatSpread, tableOf } from './format.mjs'
import { findHeadline, LINES, reader } from './read.mjs'
import { shownParts } from './summary.mjs'
import { tableOfNode, tableOfPackages, tableOfPages, tableOfRivals, tableOfTurns } from './tables.mjs'
import { tablesOfVerdicts } from './verdicts.mjs'

/** The parts whose charts stand on the page for users. */
const charted = [...shownParts, 'set-clear', 'groups', 'browser-set-clear', 'browser-refresh']

export const usage = `npm run bench -- report [options]

Makes index.html, for users, and development.html, for developers of this package, and draws all charts.
  --from=FOLDER  the results (bench/results; the last run is in build/bench)
  --out=FOLDER   where the pages and charts are written (build/bench/report)`

/** Text that is HTML already. */
class Html extends String {}

const html = (text) => (text instanceof Html ? text : quote(text).replaceAll('"', '&quot;'))

function table([header, ...lines]) {
  const row = (tag, cells) => `<tr>${cells.map((cell) => `<${tag}>${html(cell)}</${tag}>`).join('')}</tr>`
  return `<div class="wide"><table>${row('th', header)}\n${lines.map((cells) => row('td', cells)).join('\n')}</table></div>`
}

const page = (title, body) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: light-dark(#1f2328, #d1d7e0); background: light-dark(#fff, #1b1b1f) }
h2 { margin-top: 3rem } .note, .spread { color: light-dark(#59636e, #9198a1); font-size: 0.9em } .wide { overflow-x: auto }
table { border-collapse: collapse; font-size: 0.88rem; font-variant-numeric: tabular-nums }
td, th { padding: 0.3rem 0.7rem; text-align: right; white-space: nowrap; border-top: 1px solid light-dark(#d8dce1, #3d444d) }
td:first-child { text-align: left } svg { max-width: 100%; height: auto } .no { color: light-dark(#b42318, #ff7b72); font-weight: 600 }
</style>
<h1>${title}</h1>
${body}
</html>
`

/** The charts of a result, by the names of their files. */
function chartsOf(result) {
  const { part, chart } = result
  if (part !== 'core') return { [`${part}.svg`]: chart === 'lines' ? drawScale(result) : drawBars(result) }
  return Object.fromEntries(drawGrowth(result).map((svg, i) => [`core-${i + 1}.svg`, svg]))
}

const showCharts = (result) => Object.values(chartsOf(result)).join('')

function showCell(row, metric) {
  const spread = formatSpread(row, metric)
  const shown = spread === '' ? '' : ` <span class="spread">${html(spread)}</span>`
  return new Html(html(formatMedian(row, metric)) + shown)
}

/** The title, the method, the charts and all figures of a part. */
function showPart(result) {
  const { part, title, note, details, format, date } = result
  return `<h3 id="${part}">${html(title)}</h3><p class="note">${html(note)}</p>${showCharts(result)}${table(tableOf(result, showCell))}
<p class="note">${html(formatEnvironment(result))}, ${date.slice(0, 10)}</p>${details?.counts && format ? `<pre class="wide">${html(format(result))}</pre>` : ''}`
}

const marks = { true: 'reached', false: new Html('<span class="no">missed</span>'), null: '-' }

const showVerdicts = (results) =>
  tablesOfVerdicts(results, marks).map(({ title, lines }) => `<h3>${html(title)}</h3>${table(lines)}`)

const developmentPage = (byLine, found) =>
  page(
    'timeout-wheel: figures to reach, and every table',
    `<p>For developers of this package. The <a href="index.html">page for users</a> shows savings and losses.</p>
${byLine.map(({ line, results }) => `<h2>Figures to reach on Node ${line}</h2>${showVerdicts(results).join('\n')}`).join('\n')}
<h2>Every part</h2>
${found.map(showPart).join('\n')}`,
  )

/** Figures of the addon that are worse than those of native timers by more than 3%, which is the spread of most parts. */
const findLosses = (results) =>
  results.flatMap(({ part, title, metrics, rows }) =>
    rows
      .filter(({ group }) => group === 'addon')
      .flatMap((row) => {
        const compared = [comparedWith(row, rows), row]
        return metrics.flatMap((metric) => {
          const [other, own] = compared.map((one) => one?.values[metric.key]?.median)
          const isWorse = own > other * 1.03
          if (!isWorse || metric.isCost === false) return []
          const name = `<a href="development.html#${part}">${html(title)}</a>: ${html(metric.label)}, ${html(row.label)}`
          const figures = compared.map((one) => formatMedian(one, metric))
          return [[new Html(name), ...figures, other > 0 ? (own / other).toFixed(2) : '-']]
        })
      }),
  )

function userPage(found, read, lines) {
  const has = (part) => found.some((one) => one.part === part)
  const tables = [
    ['By operations in a turn', tableOfTurns, has('turns')],
    ['In Node', () => tableOfNode(read, lines.slice(0, 3)), found.some(({ onRequest }) => !onRequest)],
    ['Beside other packages', tableOfRivals, ['set-clear', 'refresh', 'set-fire', 'hold'].every(has)],
    ['Whole programs', tableOfPackages, has('packages')],
    ['In pages', tableOfPages, has('browser-set-clear')],
  ].flatMap(([title, make, isMeasured]) => (isMeasured ? [`<h2>${title}</h2>${table(make(read))}`] : []))
  const losses = findLosses(found)
  return page(
    'timeout-wheel: what it saves, and when it does not help',
    `<p>Native timers and timeout-wheel, measured side by side: medians, less is better. docs/benchmarks.md explains the tables, and
<a href="development.html">another page</a> has every figure and its method.</p>
${tables.join('\n')}
<h2 id="losses">When it does not help</h2>
<p>Each figure of the addon that is worse than that of native timers by more than 3%:</p>
${losses.length === 0 ? '<p>None.</p>' : table([['', 'native', 'ours', 'ratio'], ...losses])}
<h2 id="charts">Charts</h2>
${found
  .filter(({ part }) => charted.includes(part))
  .map(showCharts)
  .join('\n')}`,
  )
}

export function run(args) {
  const { values } = readOptions(args, { from: { type: 'string' }, out: { type: 'string' } })
  const folder = values.from === undefined ? RESULTS : toFolderUrl(values.from)
  const out = values.out === undefined ? new URL('report/', LAST_RUN) : toFolderUrl(values.out)
  const names = parts.map(({ name }) => name).filter((name) => readStored(folder, name) !== undefined)
  if (names.length === 0) {
    throw new UsageError(
      `there are no results in ${fileURLToPath(folder)}: run \`npm run bench -- full\` first`,
    )
  }
  const read = reader(folder)
  const measured = new Set(names.flatMap((name) => linesOf(readStored(folder, name))))
  const lines = [...new Set([...LINES, ...measured])].filter((line) => measured.has(line))
  const byLine = lines.map((line) => ({ line, results: names.flatMap((name) => read(name, line) ?? []) }))
  const found = names.map((name) => findHeadline(read, name))
  const files = {
    'index.html': userPage(found, read, lines),
    'development.html': developmentPage(byLine, found),
    ...Object.assign({}, ...found.map(chartsOf)),
  }
  mkdirSync(out, { recursive: true })
  for (const [name, content] of Object.entries(files)) writeFileSync(new URL(name, out), content)
  console.log(
    `${path.relative('', fileURLToPath(out))}: index.html, development.html, ${Object.keys(files).length - 2} charts`,
  )
}
