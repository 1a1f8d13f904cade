/** Types and helpers of the parts that run in browsers. */

import { ratioToNative } from '../report/format.mjs'
import { inTurn } from '../runner/harness.mjs'

/**
 * @import { Description, Metric, Row as PlainRow } from '../runner/harness.mjs'
 * @import { Progress } from '../runner/progress.mjs'
 * @import { Contender } from './contenders.mjs'
 * @import { Theatre } from './stage.mjs'
 *
 * @typedef {PlainRow & Pick<Contender, 'against' | 'engine' | 'context'>} Row
 *
 * @typedef {object} Settings
 * @property {string[]} engines
 * @property {number | undefined} turns  Replaces the part's own number.
 * @property {number} timers  Timers that are pending, or due in a burst.
 * @property {number} fired  Timers that fire in a turn.
 *
 * @typedef {object} Bar
 * @property {string} what
 * @property {string} figure
 * @property {string} wanted
 * @property {boolean | null} reached  null if too few timers were measured
 *
 * @typedef {object} Part
 * @property {string} name
 * @property {Metric[]} metrics  The first is compared with native and charted. Less is better.
 * @property {(settings: Settings) => Description} describe
 * @property {(theatre: Theatre, settings: Settings, progress: Progress) => Promise<Row[]>} measure  Measures in one engine.
 * @property {(rows: Row[], settings: Settings) => Bar[]} bars  Compares with the figures to reach.
 */

/**
 * Measures the contenders of an engine in turn.
 *
 * @param {Contender[]} contenders
 * @param {Parameters<typeof inTurn>[1]} options
 * @param {(contender: Contender) => Promise<Record<string, number>>} measure  One value per metric key.
 * @returns {Promise<Row[]>}
 */
export async function measureInTurn(contenders, options, measure) {
  const rows = await inTurn(contenders, options, measure)
  return rows.map((row, i) => {
    const { against, engine, context } = contenders[i]
    return { ...row, against, engine, context }
  })
}

/** The engines that must reach the figures. Those of other engines are only shown. */
const PROMISED = ['chromium', 'firefox']

/**
 * @param {Row[]} rows
 * @param {(row: Row) => Bar} barOf
 * @returns {Bar[]} one for each row of this package in the engines that must reach the figures
 */
export const barsOf = (rows, barOf) =>
  rows
    .filter(({ group, engine }) => group !== 'native' && PROMISED.includes(engine))
    .map((row) => {
      const bar = barOf(row)
      return { ...bar, what: `${row.label}: ${bar.what}` }
    })

/**
 * Bars for a metric that must be at least so many times less than the native one.
 *
 * @param {Row[]} rows
 * @param {string} key
 * @param {number} times
 * @param {string} what
 */
export const cheaper = (rows, key, times, what) =>
  barsOf(rows, (row) => {
    const ratio = ratioToNative(row, { rows, metrics: [{ key }] })
    return {
      what,
      figure: `1/${(1 / ratio).toFixed(1)} of native`,
      wanted: `at most 1/${times}`,
      reached: ratio <= 1 / times,
    }
  })
