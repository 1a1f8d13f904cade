/**
 * Runs each row of `core_bench` in its own process, and reads the report of Google Benchmark.
 *
 * @import { Summary } from '../runner/statistics.mjs'
 * @import { Row } from './rows.mjs'
 *
 * @typedef {object} Design
 * @property {string} name
 * @property {string} title
 * @property {boolean} exact  It runs no timer late.
 * @property {boolean} fifo  It keeps the order of scheduling within a tick.
 * @property {boolean} marks  It only marks a cancelled timer.
 * @property {boolean} real  It is the original library, not written for this comparison.
 *
 * @typedef {Record<string, Summary> | null} Cell  By counter; null if it is over the limit.
 * @typedef {Row & { cells: Record<string, Cell> }} MeasuredRow  By design.
 *
 * @typedef {object} Settings
 * @property {number} turns
 * @property {number} limit  Seconds that a cell may take in one turn, preparation included.
 * @property {string} designs  A regular expression that matches the names of the measured designs.
 */

import { join } from 'node:path'
import { outputOf } from '../../.tooling/child.cjs'
import { root } from '../../.tooling/step.mjs'
import { summarize } from '../runner/statistics.mjs'
import { nameOfRow } from './rows.mjs'

const counters = ['ns', 'longest', 'wakes', 'bytes', 'worst']

/** Milliseconds for the process of one row, which prepares and measures up to a dozen designs in each turn. */
const rowLimit = 4 * 3_600_000

/**
 * @param {string[]} args
 * @param {number} limit
 * @returns {Promise<any>}  The report.
 */
async function runBench(args, limit) {
  const text = await outputOf(
    join(root, 'build/bench-core/core_bench'),
    ['--benchmark_format=json', ...args],
    {
      env: { ...process.env, TIMEOUT_WHEEL_BENCH_LIMIT: String(limit) },
      limit: rowLimit,
    },
  )
  // Google Benchmark writes NaN, which is not JSON, for the spread of figures that are all zero.
  return JSON.parse(text.replace(/: -?(nan|inf\w*)(?=[,\s}])/gi, ': null'))
}

/**
 * @param {Record<string, string>} context
 * @returns {Design[]}
 */
function readDesigns(context) {
  return Object.entries(context)
    .filter(([key]) => key.startsWith('design '))
    .map(([key, text]) => {
      const [title, ...traits] = text.split('|')
      const has = (/** @type {string} */ trait) => traits.includes(trait)
      return {
        name: key.slice('design '.length),
        title,
        exact: has('exact'),
        fifo: has('fifo'),
        marks: has('marks'),
        real: has('real'),
      }
    })
}

/**
 * @param {any[]} runs  Of one design.
 * @returns {Cell}
 */
function readCell(runs) {
  const broken = runs.find((run) => run.error_occurred && run.error_message !== 'over the limit')
  if (broken !== undefined) throw new Error(`${broken.name}: ${broken.error_message}`)
  if (runs.some((run) => run.error_occurred)) return null
  const kept = counters.filter((counter) => runs[0][counter] !== undefined)
  return Object.fromEntries(
    kept.map((counter) => [counter, summarize(runs.map((/** @type {any} */ run) => run[counter]))]),
  )
}

/**
 * @param {Row} row
 * @param {Settings} settings
 * @returns {Promise<{ row: MeasuredRow, designs: Design[] }>}
 */
export async function measureRow(row, { turns, limit, designs: wanted }) {
  const isMemory = row.part === 'bytes'
  const report = await runBench(
    [
      `--benchmark_filter=^${nameOfRow(row)}/(${row.alone ? 'ours' : wanted})/`,
      // Memory is equal in each turn, and its measurement takes long.
      `--benchmark_repetitions=${isMemory ? 1 : turns}`,
      '--benchmark_enable_random_interleaving=true',
    ],
    isMemory ? 6 * limit : limit,
  )
  /** @type {Record<string, any[]>} */
  const runs = {}
  for (const run of report.benchmarks) {
    if (run.run_type !== 'iteration') continue
    const design = run.name.split('/')[3]
    runs[design] = [...(runs[design] ?? []), run]
  }
  const designs = readDesigns(report.context)
  const cells = Object.fromEntries(
    designs.filter(({ name }) => name in runs).map(({ name }) => [name, readCell(runs[name])]),
  )
  return { row: { ...row, cells }, designs }
}
