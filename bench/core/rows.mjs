/**
 * The rows of the benchmark, and the choice of those that a run measures.
 *
 * @typedef {object} Row
 * @property {string} part
 * @property {string} delays
 * @property {number} count
 * @property {boolean} [alone]  Without rivals, to measure how the cost of this wheel grows.
 */

const operations = ['insert', 'cancel', 'insert-cancel', 'reschedule']
const delays = ['all-30s', 'uniform', 'bimodal']
const counts = [1000, 10_000, 100_000, 1_000_000]

/**
 * @param {string[]} parts
 * @param {string[]} kinds
 * @param {number[]} sizes
 * @returns {Row[]}
 */
const every = (parts, kinds, sizes) =>
  parts.flatMap((part) => kinds.flatMap((kind) => sizes.map((count) => ({ part, delays: kind, count }))))

/** @returns {Row[]} */
const common = () => [
  ...every(operations, ['uniform'], counts),
  ...every(operations, ['all-30s', 'bimodal'], [1_000_000]),
  ...every(['expire'], ['uniform'], counts),
  ...every(['expire'], ['all-30s', 'bimodal'], [1_000_000]),
  ...every(['expire'], ['one-slot'], [1000, 10_000, 100_000]),
  ...every(['empty-hour', 'next-expiry'], ['far'], counts),
  ...every(['idle'], ['all-30s'], [100_000, 1_000_000]),
  ...every(['service'], ['all-30s', 'uniform'], [100_000]),
  ...every(['burst'], ['one-tick'], [350_000]),
  ...every(['bytes'], ['uniform'], counts),
]

/** @returns {Row[]}  Ten million timers, with this wheel alone. */
const large = () =>
  every([...operations, 'expire'], ['all-30s', 'uniform'], [10_000_000]).map((row) => ({
    ...row,
    alone: true,
  }))

/** @returns {Row[]} */
const all = () => [
  ...every(operations, [...delays, 'one-slot'], [...counts, 10_000_000]),
  ...every(['expire'], [...delays, 'one-slot'], [...counts, 10_000_000]),
  ...every(['empty-hour', 'next-expiry'], ['far'], [...counts, 10_000_000]),
  ...every(['idle'], ['all-30s'], [10_000, 100_000, 1_000_000, 10_000_000]),
  ...every(['service'], ['all-30s', 'uniform'], [100_000]),
  ...every(['burst'], ['one-tick'], [350_000]),
  ...every(['bytes'], ['uniform'], [...counts, 10_000_000]),
]

/** @param {Row} row */
export const nameOfRow = (row) => `${row.part}/${row.delays}/${row.count}`

/**
 * @param {boolean} full
 * @param {RegExp} [pattern]  Matches the names of the rows.
 * @returns {Row[]}
 */
export const chooseRows = (full, pattern = /^/) =>
  (full ? all() : [...common(), ...large()]).filter((row) => pattern.test(nameOfRow(row)))
