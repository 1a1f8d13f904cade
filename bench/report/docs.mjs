/**
 * Writes what documents show of the recorded results. A document marks the place of figures: `<!-- figures: node -->` ...
 * `<!-- /figures -->`, with one of the names in `formats`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { localBin, root } from '../../.tooling/step.mjs'
import { formatCauses } from '../cliffs/causes.mjs'
import { readOptions } from '../runner/options.mjs'
import { outputOf } from '../runner/processes.mjs'
import { RESULTS } from '../runner/results.mjs'
import { drawBars, drawOverview } from './charts.mjs'
import { formatMarkdown } from './format.mjs'
import { formatLosses } from './losses.mjs'
import { groupBy, LINES, reader, readHeadline } from './read.mjs'
import { formatComparison, formatSummary } from './summary.mjs'
import {
  formatNode,
  tableOfCore,
  tableOfPackages,
  tableOfPages,
  tableOfRivals,
  tableOfTurns,
} from './tables.mjs'

export const usage = `npm run bench -- docs

Writes the generated tables of the documents and their two charts from bench/results.`

export const documents = ['README.md', 'docs/benchmarks.md', 'docs/contributing/benchmarking.md']

/** The machines, the versions and the last day of what was measured. bench/results has the same, and the commit, of each run. */
function formatOrigins(read, names) {
  const results = names.flatMap((name) => {
    // Pages and the core are the same on each line of Node.
    const headline = readHeadline(read, name)
    return headline.onRequest ? [headline] : LINES.flatMap((line) => read(name, line) ?? [])
  })
  return groupBy(results, ({ machine }) => machine)
    .map(([machine, some]) => {
      const until = some.map(({ date }) => date.slice(0, 10)).toSorted()
      const nodes = some.map(({ node }) => `Node ${node.slice(1)}`).toSorted()
      const browsers = some.flatMap(({ browsers }) => browsers?.split(', ') ?? [])
      const versions = [...new Set([...nodes, ...browsers])].join(', ')
      return `- ${machine}, until ${until.at(-1)}: ${versions}`
    })
    .join('\n')
}

/** The parts of docs/benchmarks.md. Counts of instructions are the same on every machine. */
const namesOfParts = () => {
  const files = readdirSync(RESULTS).filter((name) => name.endsWith('.json'))
  return files
    .map((name) => name.replace('.json', ''))
    .filter((name) => !/^(core|cliffs|instructions)$/.test(name))
}

const formats = {
  summary: formatSummary,
  comparison: formatComparison,
  losses: formatLosses,
  turns: (read) => formatMarkdown(tableOfTurns(read)),
  node: formatNode,
  rivals: (read) => formatMarkdown(tableOfRivals(read)),
  packages: (read) => formatMarkdown(tableOfPackages(read)),
  pages: (read) => formatMarkdown(tableOfPages(read)),
  core: (read) => formatMarkdown(tableOfCore(read)),
  cliffs: (read) => formatCauses(readHeadline(read, 'cliffs').details),
  origin: (read) => formatOrigins(read, namesOfParts()),
  'core-origin': (read) => formatOrigins(read, ['core', 'cliffs']),
}

const marked = /(<!-- figures: (\S+) -->\n)[\s\S]*?(<!-- \/figures -->)/g

/** The text of a document, with the figures between its marks replaced. */
export const insertFigures = (text, read) =>
  text.replace(marked, (_, begin, name, end) => `${begin}\n${formats[name](read)}\n\n${end}`)

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
