/** A pseudorandom generator for tests, in JavaScript for the child processes that use it too. */

/** Returns the generator mulberry32, which returns numbers from 0 to 1, without 1. @param {number} seed */
exports.randomFrom = (seed) => {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return Object.assign(next, {
    /** Returns a whole number from 0 to `limit`, without `limit`. @param {number} limit */
    below: (limit) => Math.floor(next() * limit),
    /** Returns a whole number from `least` to `most`. @param {number} least @param {number} most */
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    /** @template T @param {readonly T[]} list @returns {T} */
    pick: (list) => list[Math.floor(next() * list.length)],
  })
}
