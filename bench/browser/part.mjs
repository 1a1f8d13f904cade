/** What a part of the benchmark in browsers is, and what several of them need. */

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
 * @property {number | undefined} turns  Instead of the part's own number.
 * @property {number} timers  How many are pending, or due in a burst.
 * @property {number} fired  How many fire in a turn.
 *
 * @typedef {object} Bar
 * @property {string} what
 * @property {string} figure
 * @property {string} wanted
 * @property {boolean | null} reached  null: measured on too little to say
 *
 * @typedef {object} Part
 * @property {string} name
 * @property {Metric[]} metrics  The first is the one compared with native and charted. Less is better.
 * @property {(settings: Settings) => Description} describe
 * @property {(theatre: Theatre, settings: Settings, progress: Progress) => Promise<Row[]>} measure  In one engine.
 * @property {(rows: Row[], settings: Settings) => Bar[]} bars  What is to be reached.
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

/** The engines that figures are promised for; the others' are shown. */
const PROMISED = ['chromium', 'firefox']

/**
 * @param {Row[]} rows
 * @param {(row: Row) => Bar} barOf
 * @returns {Bar[]} one for each row of the wheel's, in the engines that figures are promised for
 */
export const barsOf = (rows, barOf) =>
  rows
    .filter(({ group, engine }) => group !== 'native' && PROMISED.includes(engine))
    .map((row) => {
      const bar = barOf(row)
      return { ...bar, what: `${row.label}: ${bar.what}` }
    })

/**
 * Bars for a metric that has to be so many times less than native's.
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
