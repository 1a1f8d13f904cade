/** Reads results, with the definitions of their parts, and finds figures in them. */
import { parts } from '../parts/index.mjs'
import { RESULTS, readLine } from '../runner/results.mjs'
import { formatShort } from './format.mjs'

/** The lines of Node that documents show. README and charts show the first; the last is past its end of life. */
export const LINES = [24, 26, 20]

/** What is printed and judged of a part: its definition, and what was measured with these settings. */
export function describe(part, settings, measured) {
  const textOf = (text) => (typeof text === 'function' ? text(settings) : text)
  const [title, note] = [part.title, part.note].map(textOf)
  return { ...part, title, note, part: part.name, settings, missing: [], ...measured }
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

export const lineOf = ({ node }) => Number.parseInt(node.slice(1), 10)

const summaryOf = (result, id, key) => result?.rows.find((row) => row.id === id)?.values[key]

export const medianOf = (result, id, key) => summaryOf(result, id, key)?.median

/** The least and the greatest ratio of two rows in the runs that have both; undefined without such a run. */
export function rangeOf(result, id, otherId, key) {
  const [own, other] = [id, otherId].map((one) => summaryOf(result, one, key)?.medians ?? [])
  // A ratio needs two figures above 0. A lateness is below 0 if the timer ran early.
  const ratios = own.map((median, i) => median / other[i]).filter((ratio) => ratio > 0 && ratio < Infinity)
  return ratios.length === 0 ? undefined : { least: Math.min(...ratios), most: Math.max(...ratios) }
}

export function groupBy(list, keyOf) {
  const groups = new Map()
  for (const one of list) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return [...groups]
}

/** `2.1 to 2.4`, or one number if both are alike. */
export function formatRange({ least, most }) {
  const [from, to] = [least, most].map((value) => formatShort(value, 2))
  return from === to ? from : `${from} to ${to}`
}

/** A difference below this is within the spread of two equal programs. */
export const CLEAR = 1.1

/** How many times less native's figure is ours, in the runs: `range` is native divided by ours. */
export function formatGain(range) {
  if (range === undefined) return '-'
  const { least, most } = range
  if (least > CLEAR) return `${formatRange(range)} times less`
  if (most < 1 / CLEAR) return `${formatRange({ least: 1 / most, most: 1 / least })} times more`
  if (least >= 1 / CLEAR && most <= CLEAR) return 'no difference'
  const more = least < 1 / CLEAR ? `${formatShort(1 / least, 2)} times more` : 'up'
  return most > CLEAR ? `${more} to ${formatShort(most, 2)} times less` : `up to ${more}`
}

/** The same for a cell of a table: `2-2.5× less`. */
export const formatShortGain = (range) =>
  formatGain(range)
    .replaceAll(/([\d.,]+) to (?=\d)/g, '$1-')
    .replaceAll(' times ', '× ')

/** The same for two rows; empty if they were not measured in one run. */
export function gainOf(result, id, otherId, key) {
  const range = rangeOf(result, id, otherId, key)
  return range === undefined ? '' : formatShortGain(range)
}
