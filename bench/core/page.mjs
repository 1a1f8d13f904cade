/**
 * Writes the figures of results/core.json into bench/core/README.md, between the markers `<!-- figures:<part> -->` and
 * `<!-- /figures -->`. Beside the parts there are `origin` and `bars`.
 *
 * @import { CoreResult } from './run.mjs'
 * @import { MeasuredRow } from './measure.mjs'
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { localBin, mustRun } from '../../.tooling/step.mjs'
import { formatCount, formatEnvironment } from '../report/format.mjs'
import { counterOf } from './charts.mjs'

const page = new URL('README.md', import.meta.url)

/** @param {string[]} cells */
const line = (cells) => `| ${cells.join(' | ')} |`

/** @param {string[][]} lines  The first is the header. */
const table = ([header, ...lines]) =>
  [header, header.map((_, i) => (i === 0 ? '---' : '--:')), ...lines].map(line).join('\n')

/** @param {number} value */
const format = (value) => (value < 100 ? value.toFixed(1) : formatCount(Math.round(value)))

/**
 * @param {import('./measure.mjs').Cell | undefined} cell
 * @param {string} counter
 */
function formatCell(cell, counter) {
  if (cell === undefined) return ''
  if (cell === null) return 'over the limit'
  const { median, min, max, turns } = cell[counter]
  return turns > 1 ? `${format(median)} (${format(min)} - ${format(max)})` : format(median)
}

/**
 * A line for each design, and a column for each row of the part.
 *
 * @param {CoreResult} result
 * @param {string} part
 * @param {string} counter
 */
function formatCells(result, part, counter) {
  const rows = result.rows.filter((row) => row.part === part)
  /** @type {Map<string, MeasuredRow>} */
  const columns = new Map(rows.map((row) => [`${row.delays}, ${formatCount(row.count)}`, row]))
  const header = ['', ...columns.keys()]
  const measured = result.designs.filter(({ name }) => rows.some((row) => name in row.cells))
  const lines = measured.map(({ name, title }) => [
    title,
    ...[...columns.values()].map((row) => formatCell(row.cells[name], counter)),
  ])
  return table([header, ...lines])
}

/** @type {Record<string, [string, string][]>} Further counters of a part: key and heading. */
const further = {
  service: [['longest', 'The longest single advance, ns:']],
  burst: [['longest', 'The longest single advance, ns:']],
  'empty-hour': [['wakes', 'How often the driver woke within the hour:']],
  bytes: [['worst', 'The worst, after shortening and cancelling all:']],
}

/**
 * @param {CoreResult} result
 * @param {string} part
 */
function formatPart(result, part) {
  if (part === 'origin') {
    const { form, settings } = result
    const chosen = settings.designs === '[^/]+' ? '' : `, only some designs (${settings.designs})`
    const method = `${form} form${chosen}, medians of ${settings.turns} (least - greatest), at most ${settings.limit} s for a cell`
    return `${formatEnvironment(result)}, ${result.date.slice(0, 10)}; ${method}.`
  }
  if (part === 'bars') {
    const yesOrNo = (/** @type {boolean | null} */ reached) =>
      reached === null ? '-' : reached ? 'yes' : 'no'
    const hasBounds = result.bars.some(({ bound }) => bound)
    const bars = result.bars.map(({ what, wanted, figure, reached, bound }) => [
      ...[what, wanted, figure, yesOrNo(reached)],
      ...(hasBounds ? [bound] : []),
    ])
    const header = ['', 'wanted', 'figure', 'reached', ...(hasBounds ? ['one store each'] : [])]
    return table([header, ...bars])
  }
  if (!result.rows.some((row) => row.part === part)) return 'Not measured in this run.'
  const tables = [formatCells(result, part, counterOf(part))]
  for (const [counter, heading] of further[part] ?? [])
    tables.push(heading, formatCells(result, part, counter))
  return tables.join('\n\n')
}

/**
 * @param {CoreResult} result
 * @param {URL} file  A page with markers. If it does not exist, it becomes a copy of the project's page.
 */
export async function writePage(result, file = page) {
  const text = readFileSync(existsSync(file) ? file : page, 'utf8')
  const filled = text.replace(
    /(<!-- figures:([\w-]+) -->)[\s\S]*?(<!-- \/figures -->)/g,
    (_, begin, part, end) => `${begin}\n\n${formatPart(result, part)}\n\n${end}`,
  )
  writeFileSync(file, filled)
  // The linter checks the format of the page.
  await mustRun(localBin('biome'), ['format', '--write', fileURLToPath(file)], { quiet: true })
}
