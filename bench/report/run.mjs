/** node bench/report/run.mjs [folder] [page]: makes bench/report/index.html from the results of a folder (bench/results). */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { resultsFolder } from '../charts.mjs'
import { makePage } from './page.mjs'

/** The order of the page; what is not named here comes after it, by name. */
const order = [
  ...[
    'set-clear',
    'distinct',
    'refresh',
    'scale',
    'set-fire',
    'hold',
    'ten-million',
    'garbage',
    'burst',
    'precision',
  ],
  ...[
    'early',
    'idle',
    'growth',
    'import',
    'register',
    'few',
    'promises',
    'service',
    'service-1000',
    'service-10000',
  ],
]

/** @param {string} part */
const placeOf = (part) => (order.includes(part) ? order.indexOf(part) : order.length)

const [, , folderArgument, pageArgument] = process.argv
const folder = folderArgument ? pathToFileURL(`${path.resolve(folderArgument)}/`) : resultsFolder
const page = pageArgument ?? fileURLToPath(new URL('index.html', import.meta.url))

/** @param {URL} folder */
const readResults = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
    // Results of another kind lie here too: bench/core's, and the instruction counts.
    .filter(({ part, metrics }) => part !== undefined && metrics !== undefined)
    .sort((a, b) => placeOf(a.part) - placeOf(b.part) || a.part.localeCompare(b.part))

const results = readResults(folder)
/** Those of `npm run bench:nodes`. */
const onOtherNodes = readdirSync(folder)
  .filter((name) => /^node-\d+$/.test(name))
  .sort()
  .map((name) => readResults(new URL(`${name}/`, folder)))
if (results.length === 0) {
  console.error(`There are no results in ${fileURLToPath(folder)}: run \`npm run bench:full\` first`)
  process.exit(1)
}
writeFileSync(page, makePage(results, onOtherNodes))
console.log(`${path.relative('', page)}: ${results.map(({ part }) => part).join(', ')}`)
