/** Compares this package with native setTimeout. See `usage` below. */

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { drawCharts, resultsFolder } from './charts.mjs'
import { findContenders } from './contenders.mjs'
import { describeEnvironment } from './machine.mjs'
import hold from './parts/hold.mjs'
import refresh from './parts/refresh.mjs'
import service from './parts/service.mjs'
import setClear from './parts/set-clear.mjs'
import setFire from './parts/set-fire.mjs'
import { Progress } from './progress.mjs'
import { formatEnvironment, formatReport } from './report.mjs'

/**
 * @import { Part, Settings } from './harness.mjs'
 * @import { Result } from './report.mjs'
 */

/** @type {Part[]} */
const parts = [setClear, refresh, hold, setFire, service]

const usage = `node bench/run.mjs [part ...] [options]

Parts, all unless named: ${parts.map(({ name }) => name).join(', ')}
  --turns=N     measured turns of each part, instead of its own number
  --timers=N    pending timers in refresh and hold, fired ones in set-fire (1000000)
  --seconds=N   load on the service in each turn (4)
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

function readCommandLine() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      turns: { type: 'string' },
      timers: { type: 'string' },
      seconds: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const unknown = positionals.find((name) => !parts.some((part) => part.name === name))
  if (unknown !== undefined) throw new RangeError(`no part is called '${unknown}'`)
  return {
    help: values.help === true,
    chosen: positionals.length === 0 ? parts : parts.filter(({ name }) => positionals.includes(name)),
    folder: values.out === undefined ? resultsFolder : pathToFileURL(`${path.resolve(values.out)}/`),
    settings: {
      turns: readCount(values.turns, 'turns'),
      timers: readCount(values.timers, 'timers') ?? 1_000_000,
      seconds: readCount(values.seconds, 'seconds') ?? 4,
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
  const { available, missing } = await findContenders()
  for (const { label, reason } of missing) console.error(`Not measured: ${label}: ${reason}`)
  if (available.every(({ group }) => group === 'native')) {
    throw new Error('nothing to compare with native timers; has the package been built (npm run build)?')
  }
  const progress = new Progress()
  mkdirSync(folder, { recursive: true })
  /** @type {Result[]} */
  const results = []
  for (const part of chosen) {
    const rows = await part.run(available, settings, progress)
    const { name, metrics } = part
    const result = {
      part: name,
      ...part.describe(settings),
      ...environment,
      settings,
      metrics,
      rows,
      missing,
    }
    writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(result, null, 2)}\n`)
    results.push(result)
  }
  progress.clear()
  console.log(formatEnvironment(environment))
  for (const result of results) console.log(formatReport(result))
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
