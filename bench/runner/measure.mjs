/** Measures parts, prints their tables, and writes their results. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeOfLine } from '../../.tooling/runtimes.mjs'
import { findContenders } from '../contenders/index.mjs'
import { families, fullParts, parts, recordedParts, shortParts } from '../parts/index.mjs'
import { formatEnvironment, formatReport, wrap } from '../report/format.mjs'
import { describe } from '../report/read.mjs'
import { shownParts } from '../report/summary.mjs'
import { formatVerdicts } from '../report/verdicts.mjs'
import { isStale, whyUnknown } from './freshness.mjs'
import { runPart } from './harness.mjs'
import { describeEnvironment } from './machine.mjs'
import { readCount, readOptions, UsageError } from './options.mjs'
import { runHere } from './processes.mjs'
import { Progress } from './progress.mjs'
import { LAST_RUN, RESULTS, writeRun } from './results.mjs'

const namesOf = (some) => wrap(some.map(({ name }) => name).join(', ')).join('\n  ')

export const usage = `npm run bench -- [full] [part ...] [options]
npm run bench -- report|docs --help

Measures parts on this Node, and writes the results into build/bench.
  full             the long form: with other packages, more turns, and the figures to reach; half an hour
  --record         adds the results to bench/results, of which the documents show the range of the last runs
  --node=LINE      measures on another line of Node
Parts if none is named: ${namesOf(shortParts)}
With full:
  ${namesOf(fullParts)}
With --record:
  ${namesOf(recordedParts)}
Only if they are named:
  ${namesOf(parts.filter(({ onRequest }) => onRequest))},
  browser (all seven), durable (all eight),
  readme (the parts in Node that README shows), readme-browser (those in pages)

Options:
  --turns=N        measured turns, instead of the number of each part
  --fewer=N        turns of WebAssembly and of other packages, in the parts that give them fewer
  --timers=N       timers that are pending or fire, in the large parts (1000000; in browsers 100000)
  --seconds=N      service: load in each turn (4; full: 3)
  --engine=NAME    browser: chromium, firefox, webkit, or several with commas between them
  --rows=REGEXP    core: only the rows whose names match; a name is part/delays/N
  --designs=REGEXP core: only these designs
  --limit=N        core: seconds that a cell may take in one turn (2; full: 60)
  --compare        instructions: compare with bench/results, and fail if a region got worse`

const counts = ['turns', 'fewer', 'timers', 'seconds', 'limit']
const typed = (names, type) => Object.fromEntries(names.map((name) => [name, { type }]))
const options = {
  ...typed([...counts, 'node', 'engine', 'rows', 'designs'], 'string'),
  ...typed(['record', 'compare'], 'boolean'),
}

const ofReadme = parts.filter(({ name }) => shownParts.includes(name))
const groups = {
  ...families,
  readme: ofReadme.filter(({ onRequest }) => !onRequest),
  'readme-browser': ofReadme.filter(({ onRequest }) => onRequest),
}

function chooseParts(names, form) {
  if (names.length === 0) return { short: shortParts, full: fullParts, record: recordedParts }[form]
  return names.flatMap((name) => {
    const found = groups[name] ?? parts.filter((part) => part.name === name)
    if (found.length > 0) return found
    throw new UsageError(`there is no part '${name}'`)
  })
}

/** What was given on the command line, and the defaults. */
function readSettings({ record, node, ...values }, form) {
  const given = { form, seconds: form === 'full' ? 3 : 4, ...values }
  for (const name of counts) if (name in values) given[name] = readCount(values[name], name)
  return given
}

export async function run(args) {
  const { values, positionals } = readOptions(args, options)
  const isFull = positionals[0] === 'full'
  const form = isFull ? 'full' : values.record ? 'record' : 'short'
  const chosen = chooseParts(isFull ? positionals.slice(1) : positionals, form)
  const present = Number.parseInt(process.version.slice(1), 10)
  const least = Math.max(...chosen.map(({ leastNode = present }) => leastNode))
  const line = values.node === undefined ? Math.max(present, least) : readCount(values.node, 'node')
  if (line !== present) {
    process.exitCode = await runHere(await nodeOfLine(line), process.argv.slice(1))
    return
  }
  await measureAll(chosen, readSettings(values, form), values.record === true)
}

async function measureAll(chosen, settings, isRecorded) {
  const environment = await describeEnvironment()
  const { available, missing } = await findContenders(settings.form !== 'short')
  for (const { label, reason } of missing) console.error(`Not measured: ${label}: ${reason}`)
  if (available.every(({ group }) => group === 'native')) {
    throw new Error('the package cannot be loaded, only native timers: build it first (npm run build)')
  }
  const canJudge = isRecorded && (await whyUnknown()) === undefined
  const results = []
  for (const part of chosen) {
    const progress = new Progress()
    const own = { ...settings, timers: settings.timers ?? part.timers ?? 1_000_000 }
    const how = { contenders: available, settings: own, progress }
    const { rows, about, details } = await runPart(part, how)
    progress.clear()
    if (rows.length === 0) continue
    const run = { ...environment, settings: own, ...about }
    await writeRun(LAST_RUN, part.name, { run, rows, details })
    const check = (commit) => canJudge && isStale(part, commit)
    if (isRecorded) await writeRun(RESULTS, part.name, { run, rows, details }, check)
    const all = [...missing, ...progress.skipped]
    results.push(describe(part, own, { ...run, rows, details, missing: all }))
  }
  console.log(formatEnvironment(environment))
  for (const result of results) {
    console.log(formatReport(result))
    if (result.format !== undefined) console.log(`\n${result.format(result)}`)
  }
  if (settings.form !== 'short' || results.some(({ judge, alwaysJudged }) => judge || alwaysJudged))
    console.log(formatVerdicts(results))
  const folders = [LAST_RUN, ...(isRecorded ? [RESULTS] : [])]
  const written = folders.map((folder) => path.relative('', fileURLToPath(folder)))
  console.log(`\nResults: ${written.join(', ')}. A page of them: npm run bench -- report`)
}
