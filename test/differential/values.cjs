/** Values that a program names, as JSON has no words for them. */
'use strict'

/** What `setTimeout` takes for a delay. Undefined is another: `'undefined'`, or `'left out'`. */
exports.DELAYS = {
  __proto__: null,
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  'too long': 2 ** 31,
  negative: -5,
  fraction: 10.7,
  'numeric text': '10',
  text: 'soon',
  null: null,
  true: true,
  array: [20],
  object: {},
  bigint: 10n,
  symbol: Symbol('delay'),
}
exports.DELAY_NAMES = [...Object.keys(exports.DELAYS), 'undefined', 'left out']

/** What is no callback. */
exports.CALLBACKS = { __proto__: null, undefined, null: null, text: 'text', number: 1, object: {}, array: [] }

/** What `clearTimeout` passes over. */
exports.NO_TIMERS = {
  __proto__: null,
  undefined,
  null: null,
  text: 'text',
  empty: '',
  zero: 0,
  negative: -1,
  unknown: 1e9,
  NaN: Number.NaN,
  true: true,
  object: {},
  function: () => {},
}

/** The milliseconds that a delay comes to. */
exports.delayOf = (delay) => {
  const given = exports.DELAYS[delay] ?? delay
  if (typeof given === 'bigint' || typeof given === 'symbol') return 1
  const ms = Number(given)
  return ms >= 1 && ms < 2 ** 31 ? Math.trunc(ms) : 1
}
