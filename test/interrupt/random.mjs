/** Numbers that look random and are the same again for the same seed: the generator mulberry32. */
export function randomFrom(seed) {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    /** A whole number from 0 up to `limit`. */
    below: (limit) => Math.floor(next() * limit),
    /** A whole number from `least` to `most`. */
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    /** True once in `times`. */
    oneIn: (times) => next() * times < 1,
    pick: (list) => list[Math.floor(next() * list.length)],
  }
}
