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

/** A row, with `change` of what it has of each metric. */
const changeValues = (row, change) => ({
  ...row,
  values: Object.fromEntries(Object.entries(row.values).map(([key, list]) => [key, change(list)])),
})

const isMeasured = ({ values }) => Object.values(values).some((list) => list.some((one) => one !== null))

/** The runs on a line of Node that stay when another one is recorded, and the rows that they measured. */
async function keepRuns({ runs, rows }, isStale) {
  const stale = await Promise.all(runs.map(({ commit }) => isStale(commit)))
  const chosen = [...runs.keys()].filter((i) => !stale[i]).slice(1 - KEPT_RUNS)
  const pick = (list) => chosen.map((i) => list[i])
  return { runs: pick(runs), rows: rows.map((row) => changeValues(row, pick)).filter(isMeasured) }
}

const toTuple = (summary) => (summary ? [summary.median, summary.min, summary.max, summary.turns] : null)

/** What a line of Node keeps: the runs, the rows with a figure for each run, and the details of the last run. */
function addRun({ runs, rows }, { run, rows: newRows, details }) {
  const ids = [...new Set([...newRows, ...rows].map(({ id }) => id))]
  const all = ids.map((id) => {
    const [old, now] = [rows, newRows].map((some) => some.find((row) => row.id === id))
    const { label, group, against } = now ?? old
    const values = {}
    for (const key of Object.keys({ ...old?.values, ...now?.values })) {
      values[key] = [...(old?.values[key] ?? runs.map(() => null)), toTuple(now?.values[key])]
    }
    return { id, label, group, against, values }
  })
  return { runs: [...runs, run], rows: all.filter(isMeasured), ...details }
}

/**
 * Writes a run into the file of its part. A recording keeps the last runs on the same line of Node, without those for which
 * `isStale` is true. Otherwise the file has only this run on this line.
 */
export async function writeRun(folder, part, result, isStale) {
  mkdirSync(folder, { recursive: true })
  const stored = readStored(folder, part) ?? { part, lines: {} }
  const line = Number.parseInt(result.run.node.slice(1), 10)
  const before = isStale && stored.lines[line]
  stored.lines[line] = addRun(before ? await keepRuns(before, isStale) : { runs: [], rows: [] }, result)
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
  return { part, runs, ...runs.at(-1), rows: rows.map((row) => changeValues(row, merge)), details }
}
