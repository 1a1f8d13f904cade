/** Compares the core with other designs of timers. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { cmakeBuild } from '../../.tooling/cmake.mjs'
import { setUp } from '../../.tooling/setup.mjs'
import { resultsFolder } from '../report/charts.mjs'
import { formatBars, formatCount, formatEnvironment } from '../report/format.mjs'
import { describeEnvironment } from '../runner/machine.mjs'
import { readCount, readOptions, toFolderUrl, UsageError } from '../runner/options.mjs'
import { Progress } from '../runner/progress.mjs'
import { computeBars } from './bars.mjs'
import { drawCoreCharts } from './charts.mjs'
import { measureRow } from './measure.mjs'
import { writePage } from './page.mjs'
import { chooseRows, nameOfRow } from './rows.mjs'

/**
 * @import { Environment } from '../runner/machine.mjs'
 * @import { Bar } from './bars.mjs'
 * @import { Design, MeasuredRow, Settings } from './measure.mjs'
 * @import { Row } from './rows.mjs'
 *
 * @typedef {Environment & {
 *   form: 'short' | 'full', settings: Settings, designs: Design[], rows: MeasuredRow[], bars: Bar[]
 * }} CoreResult  The content of results/core.json.
 */

export const usage = `npm run bench -- core [options]

Compares the core with other designs of timers.
  --full            every row, up to 10,000,000 timers, and more time for each cell: hours; otherwise about ten minutes
  --rows=REGEXP     only the rows whose names match; a name is part/delays/N
  --designs=REGEXP  only these designs: one name, or several with | between them
  --turns=N         measured turns of each row (5)
  --limit=N         seconds that a cell may take in one turn (2; with --full 60)
  --out=FOLDER      where core.json, the charts and the page are written (bench/results, bench/core)`

/** @param {string[]} args */
function readCommandLine(args) {
  const { values } = readOptions(args, {
    full: { type: 'boolean', default: false },
    rows: { type: 'string' },
    designs: { type: 'string', default: '[^/]+' },
    turns: { type: 'string' },
    limit: { type: 'string' },
    out: { type: 'string' },
  })
  const folder = values.out === undefined ? undefined : toFolderUrl(values.out)
  const rows = chooseRows(values.full, values.rows === undefined ? undefined : new RegExp(values.rows))
  if (rows.length === 0) throw new UsageError(`no row has a name that matches ${values.rows}`)
  return {
    form: /** @type {'short' | 'full'} */ (values.full ? 'full' : 'short'),
    rows,
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
 * @param {(rows: MeasuredRow[], designs: Design[]) => void} keep  Called after each row, so that a run that is stopped leaves results.
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

/** @param {string[]} args */
export async function run(args) {
  const { form, rows, folder, page, settings } = readCommandLine(args)
  await setUp(['bench'])
  await cmakeBuild('bench-core')
  const environment = await describeEnvironment()
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
  await writePage(result, page)
  console.log(
    `${formatEnvironment(environment)}\n\nFigures to reach at 1,000,000 pending: ${formatBars(bars)}\n\n` +
      `${formatCount(measured.length)} rows, ${charts.length} charts`,
  )
}
