/** Writes what documents show of the committed results: tables and charts. */

import { existsSync, readFileSync } from 'node:fs'
import { localBin, mustRun } from '../../.tooling/step.mjs'
import { drawCoreCharts } from '../core/charts.mjs'
import { writePage } from '../core/page.mjs'
import { readOptions } from '../runner/options.mjs'
import { drawCharts, resultsFolder } from './charts.mjs'

export const usage = `npm run bench -- docs

Writes the generated tables into the documents, and draws the charts, from bench/results.`

/** @param {string[]} args */
export async function run(args) {
  readOptions(args, {})
  await mustRun(process.execPath, ['bench/report/figures.mjs'])
  // The linter checks the format of documents.
  await mustRun(localBin('biome'), ['format', '--write', 'README.md', 'docs'], { quiet: true })
  drawCharts()
  const core = new URL('core.json', resultsFolder)
  if (!existsSync(core)) return
  const result = JSON.parse(readFileSync(core, 'utf8'))
  drawCoreCharts(result, resultsFolder)
  await writePage(result)
}
