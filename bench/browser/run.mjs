/** Compares this package with the timers of pages, in browsers. See `usage` below. */

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { ENGINES } from '../../.tooling/browsers/index.mjs'
import { setUp } from '../../.tooling/setup.mjs'
import { mustRun } from '../../.tooling/step.mjs'
import { drawCharts, resultsFolder } from '../charts.mjs'
import { describeEnvironment } from '../machine.mjs'
import { Progress } from '../progress.mjs'
import { formatEnvironment, formatReport } from '../report.mjs'
import burst from './parts/burst.mjs'
import fire from './parts/fire.mjs'
import hidden from './parts/hidden.mjs'
import hold from './parts/hold.mjs'
import refresh from './parts/refresh.mjs'
import setClear from './parts/set-clear.mjs'
import { Theatre } from './stage.mjs'

/**
 * @import { Result } from '../report.mjs'
 * @import { Bar, Part, Row, Settings } from './part.mjs'
 *
 * @typedef {Result & { browsers: Record<string, string>, bars: Bar[] }} BrowserResult  What
 *   results/browser-<part>.json holds.
 */

/** @type {Part[]} */
const parts = [setClear, refresh, hold, fire, burst, hidden]

const usage = `npm run bench:browser -- [part ...] [options]

Parts, all unless named: ${parts.map(({ name }) => name).join(', ')}
  --engine=NAME  one of ${ENGINES.join(', ')}, or several with commas between them; all unless given
  --turns=N      measured turns of each part, instead of its own number
  --timers=N     pending timers in refresh, hold and burst (100000)
  --fired=N      timers that fire in a turn of fire (150000)
  --out=FOLDER   where the results go (bench/results)`

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
      engine: { type: 'string' },
      turns: { type: 'string' },
      timers: { type: 'string' },
      fired: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  const unknown = positionals.find((name) => !parts.some((part) => part.name === name))
  if (unknown !== undefined) throw new RangeError(`no part is called '${unknown}'`)
  const engines = values.engine?.split(',') ?? ENGINES
  const stranger = engines.find((engine) => !ENGINES.includes(engine))
  if (stranger !== undefined) throw new RangeError(`no engine is called '${stranger}'`)
  return {
    help: values.help === true,
    chosen: positionals.length === 0 ? parts : parts.filter(({ name }) => positionals.includes(name)),
    folder: values.out === undefined ? resultsFolder : pathToFileURL(`${path.resolve(values.out)}/`),
    settings: {
      engines,
      turns: readCount(values.turns, 'turns'),
      timers: readCount(values.timers, 'timers') ?? 100_000,
      fired: readCount(values.fired, 'fired') ?? 150_000,
    },
  }
}

/**
 * All parts in one engine after the other.
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

/** @param {Bar} bar */
const verdict = ({ reached }) => (reached === null ? 'too few' : reached ? 'reached' : 'missed')

/** @param {Bar[]} bars */
function formatBars(bars) {
  const lines = bars.map((bar) => [verdict(bar), bar.what, bar.figure, `wanted: ${bar.wanted}`])
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((line) => line[column].length)))
  return lines.map((line) => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')).join('\n')
}

/** @param {ReturnType<typeof readCommandLine>} command */
async function runCommand({ chosen, folder, settings }) {
  setUp(settings.engines)
  mustRun(process.execPath, ['.tooling/build.mjs', '--only=wasm'])
  mustRun(process.execPath, ['.tooling/build.mjs', '--only=lib'])
  const environment = describeEnvironment()
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
  if (bars.length > 0) {
    const reached = bars.filter((bar) => bar.reached).length
    console.log(`\nFigures to reach:\n${formatBars(bars)}\n\n${reached} of ${bars.length} reached`)
  }
  const charts = drawCharts(folder)
  console.log(`\nResults and charts: ${path.relative('', path.dirname(charts[0]))}`)
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
