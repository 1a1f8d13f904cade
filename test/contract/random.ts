import { expect } from '@jest/globals'
import type { Wheel } from './backends.js'
import { randomFrom } from './random-from.cjs'

export { randomFrom }
export type Random = ReturnType<typeof randomFrom>

/** Returns TIMEOUT_WHEEL_SEED, or a different seed for each run. Tests that fail print their seed. */
export function newSeed(): number {
  const chosen = Number(process.env.TIMEOUT_WHEEL_SEED)
  return Number.isInteger(chosen) && chosen > 0 ? chosen : Math.floor(Math.random() * 2 ** 32)
}

/** Runs a program with each of `count` seeds, from a new one on. If a program fails, the error has its seed. */
export function forEachSeed(count: number, program: (seed: number) => void): void {
  const first = newSeed()
  for (let seed = first; seed < first + count; seed++) {
    try {
      program(seed)
    } catch (error) {
      throw new Error(`TIMEOUT_WHEEL_SEED=${seed} fails`, { cause: error })
    }
  }
}

/** Does the same with programs that let microtasks run. */
export async function forEachSeedInTurn(
  count: number,
  program: (seed: number) => Promise<void>,
): Promise<void> {
  const first = newSeed()
  for (let seed = first; seed < first + count; seed++) {
    await program(seed).catch((cause) => {
      throw new Error(`TIMEOUT_WHEEL_SEED=${seed} fails`, { cause })
    })
  }
}

/** Advances a manual wheel, through all callbacks that throw an error 'expected'. */
export function advanceThrough(wheel: Wheel, ms: number): void {
  for (let left = ms; ; left = 0) {
    try {
      return wheel.advance(left)
    } catch (error) {
      if ((error as Error).message !== 'expected') throw error
    }
  }
}

/** Compares two values. One `expect` takes as long as 100 calls, so a program calls it only if they differ. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected)
}
