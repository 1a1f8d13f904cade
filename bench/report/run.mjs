/** Makes the report from the results: one page for users, one for developers of this package. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parts } from '../parts/index.mjs'
import { readOptions, toFolderUrl, UsageError } from '../runner/options.mjs'
import { resultsFolder } from './charts.mjs'
import { makePages } from './pages.mjs'

/** @import { ShownResult } from './section.mjs' */

export const usage = `npm run bench -- report [options]

Makes index.html, for users, and development.html, for developers of this package.
  --from=FOLDER  the results (bench/results)
  --out=FOLDER   where the pages are written (build/report)`

/** The order of the pages. Parts that are not named here come last, by name. */
const order = parts.map(({ name }) => name)

/** @param {string} part */
const placeOf = (part) => (order.includes(part) ? order.indexOf(part) : order.length)

/**
 * @param {URL} folder
 * @returns {ShownResult[]}
 */
const readResults = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
    // The folder also holds core.json and instructions.json, which are of other kinds.
    .filter(({ part, metrics }) => part !== undefined && metrics !== undefined)
    .sort((a, b) => placeOf(a.part) - placeOf(b.part) || a.part.localeCompare(b.part))

/** @param {string[]} args */
export function run(args) {
  const { values } = readOptions(args, { from: { type: 'string' }, out: { type: 'string' } })
  const folder = values.from === undefined ? resultsFolder : toFolderUrl(values.from)
  const out = toFolderUrl(values.out ?? fileURLToPath(new URL('../../build/report', import.meta.url)))
  const results = readResults(folder)
  if (results.length === 0) {
    throw new UsageError(
      `there are no results in ${fileURLToPath(folder)}: run \`npm run bench -- full\` first`,
    )
  }
  const onOtherNodes = readdirSync(folder)
    .filter((name) => /^node-\d+$/.test(name))
    .sort()
    .map((name) => readResults(new URL(`${name}/`, folder)))
    .filter((some) => some.length > 0)
  mkdirSync(out, { recursive: true })
  for (const [name, page] of Object.entries(makePages(results, onOtherNodes))) {
    writeFileSync(new URL(name, out), page)
    console.log(path.relative('', fileURLToPath(new URL(name, out))))
  }
}
