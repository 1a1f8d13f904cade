/** The short form and the long form: compares this package with native setTimeout, part by part. */

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findContenders } from '../contenders/index.mjs'
import { parts, partsOnRequest, shortParts } from '../parts/index.mjs'
import { drawCharts, resultsFolder } from '../report/charts.mjs'
import { formatEnvironment, formatReport, wrap } from '../report/format.mjs'
import { formatVerdicts } from '../report/verdicts.mjs'
import { describeEnvironment } from './machine.mjs'
import { chooseParts, readCount, readOptions, toFolderUrl } from './options.mjs'
import { Progress } from './progress.mjs'

/**
 * @import { Part, Settings } from './harness.mjs'
 * @import { Result } from '../report/format.mjs'
 */

const everyPart = [...parts, ...partsOnRequest]

/** @param {Part[]} some */
const namesOf = (some) => wrap(some.map(({ name }) => name).join(', ')).join('\n  ')

const usage = `npm run bench -- [full] [part ...] [options]

Parts:
  ${namesOf(everyPart)}
If no part is named: ${namesOf(shortParts)}; full: all except ${namesOf(partsOnRequest)}
  full          the long form: with other packages, more turns, and the figures to reach beside the measured ones
  --turns=N     measured turns, instead of the number of each part
  --fewer=N     turns of WebAssembly and of other packages, in the parts that give them fewer
  --timers=N    timers that are pending or fire, in the large parts (1000000)
  --seconds=N   load on the service in each turn (4; full: 3)
  --out=FOLDER  where the results are written (bench/results)`

const options = /** @type {const} */ ({
  turns: { type: 'string' },
  fewer: { type: 'string' },
  timers: { type: 'string' },
  seconds: { type: 'string' },
  out: { type: 'string' },
})

/** @param {boolean} full */
const form = (full) => ({
  usage,
  /** @param {string[]} args */
  async run(args) {
    const { values, positionals } = readOptions(args, options, { takesParts: true })
    const chosen = chooseParts(everyPart, positionals)
    const settings = {
      full,
      turns: readCount(values.turns, 'turns'),
      fewer: readCount(values.fewer, 'fewer'),
      timers: readCount(values.timers, 'timers') ?? 1_000_000,
      seconds: readCount(values.seconds, 'seconds') ?? (full ? 3 : 4),
    }
    const folder = values.out === undefined ? resultsFolder : toFolderUrl(values.out)
    await runParts(chosen.length > 0 ? chosen : full ? parts : shortParts, settings, folder)
  },
})

export const shortForm = form(false)
export const longForm = form(true)

/**
 * @param {Part[]} chosen
 * @param {Settings} settings
 * @param {URL} folder
 */
async function runParts(chosen, settings, folder) {
  const environment = await describeEnvironment()
  const { available, missing } = await findContenders(settings.full)
  for (const { label, reason } of missing) console.error(`Not measured: ${label}: ${reason}`)
  if (available.every(({ group }) => group === 'native')) {
    throw new Error('the package cannot be loaded, only native timers: build it first (npm run build)')
  }
  mkdirSync(folder, { recursive: true })
  /** @type {Result[]} */
  const results = []
  for (const part of chosen) {
    const progress = new Progress()
    const measured = await part.run(available, settings, progress)
    const { rows, details } = Array.isArray(measured) ? { rows: measured, details: {} } : measured
    progress.clear()
    if (rows.length === 0) continue
    const { name, metrics, chart = 'bars' } = part
    const result = {
      part: name,
      ...part.describe(settings),
      ...environment,
      chart,
      settings,
      metrics,
      rows,
      missing: [...missing, ...progress.skipped],
      ...details,
    }
    writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(result, null, 2)}\n`)
    results.push(result)
  }
  console.log(formatEnvironment(environment))
  for (const result of results) {
    console.log(formatReport(result))
    const format = chosen.find(({ name }) => name === result.part)?.format
    if (format !== undefined) console.log(format(result))
  }
  if (settings.full) console.log(formatVerdicts(results))
  const charts = drawCharts(folder)
  console.log(`\nResults and ${charts.length} charts: ${path.relative('', path.dirname(charts[0]))}`)
}
