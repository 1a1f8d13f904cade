/** Compares this package with the timers of pages, in browsers. */

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ENGINES } from '../../.tooling/browsers/index.mjs'
import { setUp } from '../../.tooling/setup.mjs'
import { drawCharts, resultsFolder } from '../report/charts.mjs'
import { formatBars, formatEnvironment, formatReport } from '../report/format.mjs'
import { describeEnvironment } from '../runner/machine.mjs'
import { chooseParts, readCount, readOptions, toFolderUrl, UsageError } from '../runner/options.mjs'
import { Progress } from '../runner/progress.mjs'
import burst from './parts/burst.mjs'
import fire from './parts/fire.mjs'
import hidden from './parts/hidden.mjs'
import hold from './parts/hold.mjs'
import refresh from './parts/refresh.mjs'
import setClear from './parts/set-clear.mjs'
import { Theatre } from './stage.mjs'

/**
 * @import { Result } from '../report/format.mjs'
 * @import { Bar, Part, Row, Settings } from './part.mjs'
 *
 * @typedef {Result & { browsers: Record<string, string>, bars: Bar[] }} BrowserResult  The
 *   content of results/browser-<part>.json.
 */

/** @type {Part[]} */
const parts = [setClear, refresh, hold, fire, burst, hidden]

export const usage = `npm run bench -- browser [part ...] [options]

Parts, all if none is named: ${parts.map(({ name }) => name).join(', ')}
  --engine=NAME  ${ENGINES.join(', ')}, or several with commas between them; all if not given
  --turns=N      measured turns, instead of the number of each part
  --timers=N     pending timers in refresh, hold and burst (100000)
  --fired=N      timers that fire in a turn of fire (150000)
  --out=FOLDER   where the results are written (bench/results)`

/** @param {string[]} args */
function readCommandLine(args) {
  const options = /** @type {const} */ ({
    engine: { type: 'string' },
    turns: { type: 'string' },
    timers: { type: 'string' },
    fired: { type: 'string' },
    out: { type: 'string' },
  })
  const { values, positionals } = readOptions(args, options, { takesParts: true })
  const chosen = chooseParts(parts, positionals)
  const engines = values.engine?.split(',') ?? ENGINES
  const unknown = engines.find((/** @type {string} */ engine) => !ENGINES.includes(engine))
  if (unknown !== undefined) throw new UsageError(`there is no engine '${unknown}': ${ENGINES.join(', ')}`)
  return {
    chosen: chosen.length === 0 ? parts : chosen,
    folder: values.out === undefined ? resultsFolder : toFolderUrl(values.out),
    settings: {
      engines,
      turns: readCount(values.turns, 'turns'),
      timers: readCount(values.timers, 'timers') ?? 100_000,
      fired: readCount(values.fired, 'fired') ?? 150_000,
    },
  }
}

/**
 * Measures all parts in one engine, then in the next.
 *
 * @param {Part[]} chosen
 * @param {Settings} settings
 * @param {Progress} progress
 */
async function measureAll(chosen, settings, progress) {
  /** @type {Map<Part, Row[]>} */
  const measured = new Map(chosen.map((part) => [part, []]))
  /** @type {Record<string, string>} */
  const browsers = {}
  for (const engine of settings.engines) {
    progress.show(`${engine}: starting`)
    const theatre = await Theatre.open(engine)
    try {
      browsers[engine] = (await theatre.start()).version
      for (const [part, rows] of measured) rows.push(...(await part.measure(theatre, settings, progress)))
    } finally {
      await theatre.close()
    }
  }
  return { measured, browsers }
}

/** @param {string[]} args */
export async function run(args) {
  const { chosen, folder, settings } = readCommandLine(args)
  await setUp(settings.engines)
  const environment = await describeEnvironment()
  const progress = new Progress()
  const { measured, browsers } = await measureAll(chosen, settings, progress)
  progress.clear()
  mkdirSync(folder, { recursive: true })
  const versions = Object.values(browsers).join(', ')
  console.log(`${formatEnvironment(environment)} - ${versions}`)
  /** @type {Bar[]} */
  const bars = []
  for (const [part, rows] of measured) {
    const { name, metrics } = part
    /** @type {BrowserResult} */
    const result = {
      part: `browser-${name}`,
      ...part.describe(settings),
      ...environment,
      browsers,
      settings,
      metrics,
      rows,
      bars: part.bars(rows, settings),
      missing: [],
    }
    writeFileSync(new URL(`${result.part}.json`, folder), `${JSON.stringify(result, null, 2)}\n`)
    console.log(formatReport(result))
    bars.push(...result.bars)
  }
  if (bars.length > 0) console.log(`\nFigures to reach: ${formatBars(bars)}`)
  const charts = drawCharts(folder)
  console.log(`\nResults and charts: ${path.relative('', path.dirname(charts[0]))}`)
}
