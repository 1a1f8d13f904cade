/** Numbers that look random and are the same again for the same seed. */
export interface Random {
  /** A number from 0 up to 1. */
  (): number
  /** A whole number from 0 up to `limit`. */
  below(limit: number): number
}

/** A different seed for each run; tests name it where they fail. */
export function newSeed(): number {
  const chosen = Number(process.env.TIMEOUT_WHEEL_SEED)
  return Number.isInteger(chosen) && chosen > 0 ? chosen : Math.floor(Math.random() * 2 ** 32)
}

/** The generator mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return Object.assign(next, { below: (limit: number) => Math.floor(next() * limit) })
}
