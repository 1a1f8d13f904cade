/** Types of parts, metrics and rows, and the measurement in turn. The parts themselves are in `parts/`. */

import { summarize } from './statistics.mjs'

/**
 * @import { Contender, Group } from '../contenders/index.mjs'
 * @import { Progress } from './progress.mjs'
 * @import { Summary } from './statistics.mjs'
 *
 * @typedef {Pick<Contender, 'id' | 'label' | 'group'>} Subject  A contender, or another thing that a part compares.
 *
 * @typedef {object} Metric
 * @property {string} key
 * @property {string} label
 * @property {string} unit
 * @property {number} [digits]  Decimals that are shown; 0 if not given.
 *
 * @typedef {object} Row
 * @property {string} id
 * @property {string} label
 * @property {Group} group
 * @property {Record<string, Summary>} values  By metric key.
 * @property {string} [against]  The id of the row that this row is compared with; the native one if not given.
 *
 * @typedef {object} Settings
 * @property {boolean} full  Whether this is the long form.
 * @property {number | undefined} turns  Replaces the part's own number.
 * @property {number | undefined} fewer  Turns of WebAssembly and of rivals, in the parts that give them fewer.
 * @property {number} timers  Timers that are pending or fire in the large parts.
 * @property {number} seconds  Duration of the load on the service in each turn.
 *
 * @typedef {{ title: string, note: string }} Description  The note is the method and its caveats.
 *
 * @typedef {object} Part
 * @property {string} name
 * @property {Metric[]} metrics  The first is compared with native and charted. Less is better.
 * @property {'bars' | 'lines'} [chart]  With `lines`, the metrics of a row are the points of one line. The default is `bars`.
 * @property {(settings: Settings) => Description} describe
 * @property {(contenders: Contender[], settings: Settings, progress: Progress) => Promise<Row[] | Detailed>} run
 * @property {(result: object) => string} [format]  The text that is printed after the table.
 *
 * @typedef {{ rows: Row[], details: object }} Detailed  The details are written into the result beside the rows.
 */

/**
 * Turns of WebAssembly and of rivals in the long parts. They have fewer, because the figures to reach are set for the addon.
 *
 * @param {Settings} settings
 */
export const fewerTurns = ({ turns, fewer, full }) => fewer ?? turns ?? (full ? 3 : undefined)

/** @param {Subject} subject */
const hasBars = ({ group }) => group === 'native' || group === 'addon'

/**
 * Measures the contenders in turn, A B C A B C ..., so that a slow spell of the machine affects all of them. A rival that fails is
 * left out and reported. A failure of native timers or of this package is an error.
 *
 * @template {Subject} S
 * @param {S[]} contenders
 * @param {object} options
 * @param {string} options.name
 * @param {number} options.turns
 * @param {number | undefined} [options.fewer]  Turns of WebAssembly and of rivals; `turns` if not given.
 * @param {boolean} [options.warmUp]  Whether a first turn is run and its figures dropped.
 * @param {Progress} options.progress
 * @param {(contender: S) => Promise<Record<string, number>>} measure  One value per metric key.
 * @returns {Promise<Row[]>}
 */
export async function inTurn(contenders, { name, turns, fewer = turns, warmUp = false, progress }, measure) {
  /** @type {Map<S, Record<string, number>[]>} */
  const samples = new Map(contenders.map((contender) => [contender, []]))
  for (let turn = warmUp ? 0 : 1; turn <= turns; turn++) {
    const step = turn === 0 ? `${name}: warm-up` : `${name}: turn ${turn} of ${turns}`
    for (const [contender, taken] of samples) {
      if (turn > fewer && !hasBars(contender)) continue
      progress.show(step, contender.label)
      try {
        const sample = await measure(contender)
        if (turn > 0) taken.push(sample)
      } catch (error) {
        if (contender.group !== 'rival') throw error
        progress.skip(contender.label, error instanceof Error ? error.message : String(error))
        samples.delete(contender)
      }
    }
  }
  return [...samples].map(([contender, taken]) => toRow(contender, taken))
}

/**
 * @param {Subject} subject
 * @param {Record<string, number>[]} samples  One for each turn, all with the same keys.
 * @returns {Row}
 */
export function toRow({ id, label, group }, samples) {
  const keys = Object.keys(samples[0] ?? {})
  const values = Object.fromEntries(keys.map((key) => [key, summarize(samples.map((sample) => sample[key]))]))
  return { id, label, group, values }
}
