/**
 * Writes what documents show of the recorded results. A document marks the place of figures: `<!-- figures: node -->` ...
 * `<!-- /figures -->`, with one of the names in `formats`, or with `cliffs:` and the name of a cause.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { localBin, root } from '../../.tooling/step.mjs'
import { summarizeCause } from '../cliffs/causes.mjs'
import { readOptions } from '../runner/options.mjs'
import { outputOf } from '../runner/processes.mjs'
import { RESULTS } from '../runner/results.mjs'
import { drawBars, drawOverview } from './charts.mjs'
import { LINES, reader, readHeadline } from './read.mjs'
import { formatComparison, formatSummary, shownParts } from './summary.mjs'
import { formatCore, formatNodeInShort, formatPackages, formatPages, formatRivals } from './tables.mjs'

export const usage = `npm run bench -- docs

Writes the generated tables of the documents and their two charts from bench/results.`

export const documents = [
  'README.md',
  'docs/benchmarks.md',
  'docs/contributing/cliffs.md',
  'docs/contributing/core.md',
]

const resultsOf = (read, names) =>
  names.flatMap((name) => {
    // Pages and the core are the same on each line of Node.
    const headline = readHeadline(read, name)
    const results = headline.onRequest ? [headline] : LINES.map((line) => read(name, line))
    return results.filter((one) => one !== undefined)
  })

function groupBy(results, keyOf) {
  const groups = new Map()
  for (const one of results) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return [...groups]
}

const countRuns = ({ runs, date }) => {
  const times = runs.length === 1 ? '1 run' : `${runs.length} runs`
  return `${times} until ${date.slice(0, 10)}`
}

/** Where and when parts were measured, once for all that have it in common. */
function formatOrigins(read, names) {
  const originOf = ({ node, commit, browsers, ...result }) =>
    [node, commit, browsers, countRuns(result)].filter((part) => part != null).join(', ')
  return groupBy(resultsOf(read, names), ({ machine }) => machine)
    .flatMap(([machine, some]) => [
      `- ${machine}:`,
      ...groupBy(some, originOf).map(
        ([origin, alike]) => `  - ${origin}: ${alike.map(({ part }) => part).join(', ')}`,
      ),
    ])
    .join('\n')
}

const formats = {
  summary: formatSummary,
  comparison: formatComparison,
  node: formatNodeInShort,
  rivals: formatRivals,
  packages: formatPackages,
  pages: formatPages,
  core: formatCore,
  origin: (read) => formatOrigins(read, shownParts),
  'core-origin': (read) => formatOrigins(read, ['core']),
  'cliffs-origin': (read) => formatOrigins(read, ['cliffs']),
}

const CLIFFS = 'cliffs:'
const marked = /(<!-- figures: (\S+) -->\n)[\s\S]*?(<!-- \/figures -->)/g

/** The text of a document, with the figures between its marks replaced. */
export const insertFigures = (text, read) =>
  text.replace(marked, (_, begin, name, end) => {
    const figures = name.startsWith(CLIFFS)
      ? summarizeCause(readHeadline(read, 'cliffs').details, name.slice(CLIFFS.length))
      : formats[name](read)
    return `${begin}\n${figures}\n\n${end}`
  })

/** The charts that documents show, by file name in bench/results. */
export const charts = (read) => ({
  'overview.svg': drawOverview(read),
  'set-clear.svg': drawBars(readHeadline(read, 'set-clear')),
})

export async function run(args) {
  readOptions(args, {})
  const read = reader()
  for (const name of documents) {
    const file = `${root}/${name}`
    writeFileSync(file, insertFigures(readFileSync(file, 'utf8'), read))
  }
  // The linter checks the format of documents.
  await outputOf(localBin('biome'), ['format', '--write', ...documents])
  for (const [name, svg] of Object.entries(charts(read))) writeFileSync(new URL(name, RESULTS), svg)
  console.log(`${documents.join(', ')}, overview.svg, set-clear.svg`)
}
