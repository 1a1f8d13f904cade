/** Compares the core with the designs that the field knows. See `usage` below. */

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { cmakeBuild } from '../../.tooling/cmake.mjs'
import { setUp } from '../../.tooling/setup.mjs'
import { resultsFolder } from '../charts.mjs'
import { describeEnvironment } from '../machine.mjs'
import { Progress } from '../progress.mjs'
import { formatCount, formatEnvironment } from '../report.mjs'
import { computeBars, verdict } from './bars.mjs'
import { drawCoreCharts } from './charts.mjs'
import { measureRow } from './measure.mjs'
import { writePage } from './page.mjs'
import { chooseRows, nameOfRow } from './rows.mjs'

/**
 * @import { Environment } from '../machine.mjs'
 * @import { Bar } from './bars.mjs'
 * @import { Design, MeasuredRow, Settings } from './measure.mjs'
 * @import { Row } from './rows.mjs'
 *
 * @typedef {Environment & {
 *   form: 'short' | 'full', settings: Settings, designs: Design[], rows: MeasuredRow[], bars: Bar[]
 * }} CoreResult  What results/core.json holds.
 */

const usage = `npm run bench:core -- [options]

  --full         every row, up to 10,000,000 timers, more time for each cell (hours); else about ten minutes
  --rows=REGEXP  only the rows whose names match: part/delays/N
  --designs=REGEXP  only these: a name or several with | between them
  --turns=N      measured turns of each row (5)
  --limit=N      seconds that a cell may take in one turn (2; with --full 60)
  --out=FOLDER   where core.json, the charts and the page go (bench/results, bench/core)`

/**
 * @param {string | undefined} text
 * @param {string} name
 */
function readCount(text, name) {
  if (text === undefined) return undefined
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new RangeError(`--${name} must be a whole number above 0, got ${text}`)
}

function readCommandLine() {
  const { values } = parseArgs({
    options: {
      full: { type: 'boolean', default: false },
      rows: { type: 'string' },
      designs: { type: 'string', default: '[^/]+' },
      turns: { type: 'string' },
      limit: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const folder = values.out === undefined ? undefined : pathToFileURL(`${path.resolve(values.out)}/`)
  return {
    help: values.help === true,
    form: /** @type {'short' | 'full'} */ (values.full ? 'full' : 'short'),
    rows: chooseRows(values.full, values.rows === undefined ? undefined : new RegExp(values.rows)),
    folder: folder ?? resultsFolder,
    page: new URL('README.md', folder ?? new URL('./', import.meta.url)),
    settings: {
      turns: readCount(values.turns, 'turns') ?? 5,
      limit: readCount(values.limit, 'limit') ?? (values.full ? 60 : 2),
      designs: values.designs,
    },
  }
}

/**
 * @param {Row[]} rows
 * @param {Settings} settings
 * @param {(rows: MeasuredRow[], designs: Design[]) => void} keep  Called after each row: a run that is stopped is not lost.
 */
async function measureAll(rows, settings, keep) {
  const progress = new Progress()
  const started = Date.now()
  /** @type {MeasuredRow[]} */
  const measured = []
  /** @type {Design[]} */
  let designs = []
  for (const [i, row] of rows.entries()) {
    const minutes = ((Date.now() - started) / 60_000).toFixed(1)
    progress.show(
      `${i + 1} of ${rows.length}, ${minutes} min: ${nameOfRow(row)}${row.alone ? ', alone' : ''}`,
    )
    const result = await measureRow(row, settings)
    measured.push(result.row)
    designs = result.designs
    keep(measured, designs)
  }
  progress.clear()
  return { rows: measured, designs }
}

/** @param {Bar[]} bars */
function formatBars(bars) {
  const lines = bars.map((bar) => [verdict(bar), bar.what, bar.figure, `wanted: ${bar.wanted}`])
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column].length)))
  return lines.map((line) => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')).join('\n')
}

/** @param {ReturnType<typeof readCommandLine>} command */
async function runCommand({ form, rows, folder, page, settings }) {
  if (rows.length === 0) throw new RangeError('no row has such a name')
  setUp(['bench'])
  cmakeBuild('bench-core')
  const environment = describeEnvironment()
  mkdirSync(folder, { recursive: true })
  /** @type {(rows: MeasuredRow[], designs: Design[]) => CoreResult} */
  const toResult = (measured, designs) => {
    const bars = computeBars(measured, designs)
    return { ...environment, form, settings, designs, rows: measured, bars }
  }
  const file = new URL('core.json', folder)
  const { rows: measured, designs } = await measureAll(rows, settings, (...part) =>
    writeFileSync(file, `${JSON.stringify(toResult(...part), null, 1)}\n`),
  )
  const result = toResult(measured, designs)
  const { bars } = result
  const charts = drawCoreCharts(result, folder)
  writePage(result, page)
  const reached = bars.filter((bar) => bar.reached).length
  console.log(
    `${formatEnvironment(environment)}\n\nFigures to reach at 1,000,000 pending:\n${formatBars(bars)}`,
  )
  console.log(
    `\n${reached} of ${bars.length} reached. ${formatCount(measured.length)} rows, ${charts.length} charts`,
  )
}

/** @returns {ReturnType<typeof readCommandLine> | undefined} */
function tryReadCommandLine() {
  try {
    return readCommandLine()
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
    return undefined
  }
}

const command = tryReadCommandLine()
if (command === undefined) process.exitCode = 1
else if (command.help) console.log(usage)
else await runCommand(command)
