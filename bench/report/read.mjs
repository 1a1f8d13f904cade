/** Reads results, with the definitions of their parts. */
import { parts } from '../parts/index.mjs'
import { RESULTS, readLine } from '../runner/results.mjs'

/** The lines of Node that documents show. README and charts show the first; the last is past its end of life. */
export const LINES = [24, 26, 20]

/** What is printed and judged of a part: its definition, and what was measured with these settings. */
export function describe(part, settings, measured) {
  const textOf = (value) => (typeof value === 'function' ? value(settings) : value)
  const { name, title, note } = part
  const texts = { title: textOf(title), note: textOf(note) }
  return { ...part, ...texts, part: name, settings, missing: [], ...measured }
}

/** A function that reads a part on a line of Node; undefined if it was not measured there. */
export const reader =
  (folder = RESULTS) =>
  (name, line) => {
    const part = parts.find((one) => one.name === name)
    const measured = readLine(folder, name, line)
    return part && measured && describe(part, measured.settings, measured)
  }

/** The same part on the line that README shows, or on the next that has it; undefined if it was not measured. */
export const findHeadline = (read, name) =>
  LINES.map((line) => read(name, line)).find((result) => result !== undefined) ?? read(name)

export function readHeadline(read, name) {
  const found = findHeadline(read, name)
  if (found === undefined) throw new Error(`the part '${name}' was not measured`)
  return found
}

export const medianOf = (result, id, key) => summaryOf(result, id, key)?.median

export const summaryOf = (result, id, key) => result?.rows.find((row) => row.id === id)?.values[key]

/** The least and the greatest ratio of two rows in the runs that have both; undefined without such a run. */
export function rangeOf(result, id, otherId, key) {
  const own = summaryOf(result, id, key)?.medians ?? []
  const other = summaryOf(result, otherId, key)?.medians ?? []
  const ratios = own.flatMap((median, i) => {
    const ratio = median / other[i]
    // No ratio if a figure is 0, or below: lateness of a timer that ran early.
    return ratio > 0 && Number.isFinite(ratio) ? [ratio] : []
  })
  return ratios.length === 0 ? undefined : { least: Math.min(...ratios), most: Math.max(...ratios) }
}

/** `2.1 to 2.4`, or one number if both are alike. */
export function formatRange({ least, most }) {
  const [from, to] = [least, most].map((value) =>
    value.toLocaleString(
      'en-US',
      value < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 },
    ),
  )
  return from === to ? from : `${from} to ${to}`
}

/** A difference below this is within the spread of two equal programs. */
const CLEAR = 1.1

/** How many times less native's figure is ours, in the runs: `range` is native divided by ours. */
export function formatGain(range) {
  if (range === undefined) return '-'
  const { least, most } = range
  if (least > CLEAR) return `${formatRange(range)} times less`
  if (most < 1 / CLEAR) return `${formatRange({ least: 1 / most, most: 1 / least })} times more`
  if (least >= 1 / CLEAR && most <= CLEAR) return 'no difference'
  const more = least < 1 ? `${formatRange({ least: 1 / least, most: 1 / least })} times more` : 'equal'
  return `${more} to ${most > 1 ? `${formatRange({ least: most, most })} times less` : 'equal'}`
}

/** The same for a cell of a table: `2-2.5× less`. */
export const formatShortGain = (range) =>
  formatGain(range)
    .replaceAll(/([\d.,]+) to (?=\d)/g, '$1-')
    .replaceAll(' times ', '× ')
