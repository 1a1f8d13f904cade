import { expect } from '@jest/globals'

/** A pseudorandom generator: the same seed gives the same numbers. */
export interface Random {
  /** Returns a number from 0 to 1, without 1. */
  (): number
  /** Returns a whole number from 0 to `limit`, without `limit`. */
  below(limit: number): number
}

/** Returns TIMEOUT_WHEEL_SEED, or a different seed for each run. Tests that fail print their seed. */
export function newSeed(): number {
  const chosen = Number(process.env.TIMEOUT_WHEEL_SEED)
  return Number.isInteger(chosen) && chosen > 0 ? chosen : Math.floor(Math.random() * 2 ** 32)
}

/** Compares two values. One `expect` takes as long as 100 calls, so a program calls it only if they differ. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected)
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
