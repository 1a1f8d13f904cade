/**
 * The results: a file for each part, with the last runs on each line of Node. A figure of a run is its median, least and greatest
 * value, and the number of turns.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { summarize } from './statistics.mjs'

/** The recorded results, and those of the last run. */
export const RESULTS = new URL('../results/', import.meta.url)
export const LAST_RUN = new URL('../../build/bench/', import.meta.url)

/** The runs that are kept of each part, on each line of Node. */
const KEPT_RUNS = 5

const fileOf = (folder, part) => new URL(`${part}.json`, folder)

export function readStored(folder, part) {
  const file = fileOf(folder, part)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

const isFraction = (value) => typeof value === 'number' && !Number.isInteger(value)
const toText = (value) =>
  JSON.stringify(value, (_key, one) => (isFraction(one) ? Number(one.toPrecision(5)) : one))

/** JSON with a line for each run, each row, and each entry of the details. */
function formatStored({ part, lines }) {
  const field = ([key, value]) =>
    Array.isArray(value)
      ? `   ${toText(key)}: [\n${value.map((one) => `    ${toText(one)}`).join(',\n')}\n   ]`
      : `   ${toText(key)}: ${toText(value)}`
  const blocks = Object.entries(lines).map(
    ([line, stored]) => `  ${toText(line)}: {\n${Object.entries(stored).map(field).join(',\n')}\n  }`,
  )
  return `{\n "part": ${toText(part)},\n "lines": {\n${blocks.join(',\n')}\n }\n}\n`
}

const toTuple = (summary) => summary && [summary.median, summary.min, summary.max, summary.turns]

/** What a line of Node keeps: the runs, the rows with a figure for each run, and the details of the last run. */
function addRun({ runs = [], rows = [] } = {}, { run, rows: newRows, details = {} }) {
  const kept = runs.length
  const ids = [...new Set([...newRows, ...rows].map(({ id }) => id))]
  return {
    runs: [...runs, run],
    rows: ids.map((id) => {
      const old = rows.find((row) => row.id === id)
      const now = newRows.find((row) => row.id === id)
      const keys = new Set([...Object.keys(old?.values ?? {}), ...Object.keys(now?.values ?? {})])
      const values = {}
      for (const key of keys) {
        const before = old?.values[key] ?? Array.from({ length: kept }, () => null)
        values[key] = [...before, toTuple(now?.values[key]) ?? null]
      }
      const { label, group, against } = now ?? old
      return { id, label, group, against, values }
    }),
    ...details,
  }
}

function keepRuns(stored, isKept) {
  const chosen = stored.runs.map((_, i) => i).filter(isKept)
  const pick = (list) => chosen.map((i) => list[i])
  const rows = stored.rows.map((row) => ({
    ...row,
    values: Object.fromEntries(Object.entries(row.values).map(([key, list]) => [key, pick(list)])),
  }))
  const isMeasured = ({ values }) => Object.values(values).some((list) => list.some((one) => one !== null))
  return { ...stored, runs: pick(stored.runs), rows: rows.filter(isMeasured) }
}

const lineOf = ({ node }) => Number.parseInt(node.slice(1), 10)

/**
 * Writes a run into the file of its part. A recording keeps the last runs on the same line of Node, without those for which
 * `isStale` is true. Otherwise the file has only this run on this line.
 */
export async function writeRun(folder, part, result, isStale) {
  mkdirSync(folder, { recursive: true })
  const stored = readStored(folder, part) ?? { part, lines: {} }
  const line = lineOf(result.run)
  let before
  if (isStale !== undefined && stored.lines[line] !== undefined) {
    before = stored.lines[line]
    const stale = await Promise.all(before.runs.map(({ commit }) => isStale(commit)))
    before = keepRuns(before, (i) => !stale[i])
  }
  const all = addRun(before, result)
  stored.lines[line] = keepRuns(all, (i) => i >= all.runs.length - KEPT_RUNS)
  writeFileSync(fileOf(folder, part), formatStored(stored))
}

/** The figures of all runs in one: the median of the medians, the least and the greatest, and the median of each run. */
function merge(tuples) {
  const known = tuples.filter((one) => one !== null)
  if (known.length === 0) return null
  const [medians, least, greatest, turns] = [0, 1, 2, 3].map((place) => known.map((one) => one[place]))
  return {
    median: summarize(medians).median,
    min: Math.min(...least),
    max: Math.max(...greatest),
    turns: turns.reduce((sum, one) => sum + one),
    medians: tuples.map((one) => one?.[0]),
  }
}

export const linesOf = (stored) => Object.keys(stored?.lines ?? {}).map(Number)

/** A part on a line of Node, the newest line if none is given; undefined if it was not measured. */
export function readLine(folder, part, line) {
  const stored = readStored(folder, part)
  const own = stored?.lines[line ?? Math.max(...linesOf(stored))]
  if (own === undefined) return undefined
  const { runs, rows, ...details } = own
  return {
    part,
    runs,
    ...runs[runs.length - 1],
    rows: rows.map((row) => ({
      ...row,
      values: Object.fromEntries(Object.entries(row.values).map(([key, list]) => [key, merge(list)])),
    })),
    details,
  }
}
