/** Delays that programs refer to by name, because JSON cannot represent them. */
'use strict'

/** Delays for `setTimeout`. Two more names stand for undefined: `'undefined'` and `'left out'`. */
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

/** Coerces a delay to milliseconds. */
exports.delayOf = (delay) => {
  const given = exports.DELAYS[delay] ?? delay
  if (typeof given === 'bigint' || typeof given === 'symbol') return 1
  const ms = Number(given)
  return ms >= 1 && ms < 2 ** 31 ? Math.trunc(ms) : 1
}
