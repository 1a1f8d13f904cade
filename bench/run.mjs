/** Compares this package with native setTimeout. See `usage` below. */

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { drawCharts, resultsFolder } from './charts.mjs'
import { findContenders } from './contenders.mjs'
import { describeEnvironment } from './machine.mjs'
import { parts, partsApart, shortParts } from './parts/index.mjs'
import { Progress } from './progress.mjs'
import { formatEnvironment, formatReport } from './report.mjs'
import { formatVerdicts } from './verdicts.mjs'

/**
 * @import { Part, Settings } from './harness.mjs'
 * @import { Result } from './report.mjs'
 */

const everyPart = [...parts, ...partsApart]

const usage = `node bench/run.mjs [part ...] [options]

Parts: ${everyPart.map(({ name }) => name).join(', ')}
Unless named: ${shortParts.map(({ name }) => name).join(', ')}
  --full        all parts but ${partsApart.map(({ name }) => name).join(', ')}, with rivals and more turns, and the figures to reach beside theirs
  --turns=N     measured turns of each part, instead of its own number
  --fewer=N     turns of WebAssembly and of rivals in the long parts
  --timers=N    timers pending or fired in the large parts (1000000)
  --seconds=N   load on the service in each turn (4, in the long form 3)
  --out=FOLDER  where the results go (bench/results)`

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

/**
 * @param {string[]} names
 * @param {boolean} full
 */
function choose(names, full) {
  if (names.length > 0) return everyPart.filter(({ name }) => names.includes(name))
  return full ? parts : shortParts
}

function readCommandLine() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      full: { type: 'boolean' },
      turns: { type: 'string' },
      fewer: { type: 'string' },
      timers: { type: 'string' },
      seconds: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const unknown = positionals.find((name) => !everyPart.some((part) => part.name === name))
  if (unknown !== undefined) throw new RangeError(`no part is called '${unknown}'`)
  return {
    help: values.help === true,
    chosen: choose(positionals, values.full === true),
    folder: values.out === undefined ? resultsFolder : pathToFileURL(`${path.resolve(values.out)}/`),
    settings: {
      full: values.full === true,
      turns: readCount(values.turns, 'turns'),
      fewer: readCount(values.fewer, 'fewer'),
      timers: readCount(values.timers, 'timers') ?? 1_000_000,
      seconds: readCount(values.seconds, 'seconds') ?? (values.full ? 3 : 4),
    },
  }
}

/**
 * @param {Part[]} chosen
 * @param {Settings} settings
 * @param {URL} folder
 */
async function runParts(chosen, settings, folder) {
  const environment = describeEnvironment()
  const { available, missing } = await findContenders(settings.full)
  for (const { label, reason } of missing) console.error(`Not measured: ${label}: ${reason}`)
  if (available.every(({ group }) => group === 'native')) {
    throw new Error('nothing to compare with native timers; has the package been built (npm run build)?')
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
else await runParts(command.chosen, command.settings, command.folder)
