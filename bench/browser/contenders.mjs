/** The contenders in each engine, in windows and workers: one row of the results each. Their code is in page/contenders.js. */

/**
 * @import { Context } from './stage.mjs'
 *
 * @typedef {'native' | 'handles' | 'numbers' | 'worker'} Name
 *
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} label
 * @property {'native' | 'wasm'} group
 * @property {string} against  The id of the row with which it is compared.
 * @property {string} engine
 * @property {Context} context
 * @property {Name} name
 */

/** @type {Record<string, string>} */
export const ENGINES = { chromium: 'Chromium', firefox: 'Firefox', webkit: 'WebKitGTK' }

/** @type {Record<Name, string>} */
const NAMES = {
  native: 'native setTimeout',
  handles: 'wheel, setTimeout',
  numbers: 'wheel, schedule',
  worker: "wheel, driver 'worker'",
}

/**
 * @param {string} engine
 * @param {Context} context
 * @param {Name[]} names  Native timers first.
 * @returns {Contender[]}
 */
export const contendersOf = (engine, context, names) =>
  names.map((name) => ({
    id: `${engine}-${context}-${name}`,
    label: `${ENGINES[engine]}${context === 'worker' ? ' worker' : ''}: ${NAMES[name]}`,
    group: name === 'native' ? 'native' : 'wasm',
    against: `${engine}-${context}-native`,
    engine,
    context,
    name,
  }))
