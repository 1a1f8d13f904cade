import { expect } from '@jest/globals'
import { randomFrom } from './random-from.cjs'

export { randomFrom }
export type Random = ReturnType<typeof randomFrom>

/** Returns TIMEOUT_WHEEL_SEED, or a different seed for each run. Tests that fail print their seed. */
export function newSeed(): number {
  const chosen = Number(process.env.TIMEOUT_WHEEL_SEED)
  return Number.isInteger(chosen) && chosen > 0 ? chosen : Math.floor(Math.random() * 2 ** 32)
}

/** Compares two values. One `expect` takes as long as 100 calls, so a program calls it only if they differ. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected)
}
