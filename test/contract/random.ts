import { randomFrom } from './random-from.cjs'

export { randomFrom }
export type Random = ReturnType<typeof randomFrom>

/** Returns TIMEOUT_WHEEL_SEED, or a different seed for each run. Tests that fail print their seed. */
export function newSeed(): number {
  const chosen = Number(process.env.TIMEOUT_WHEEL_SEED)
  return Number.isInteger(chosen) && chosen > 0 ? chosen : Math.floor(Math.random() * 2 ** 32)
}

/** Runs a program with each of `count` seeds, from a new one on. If a program fails, the error has its seed. */
export async function forEachSeed(count: number, program: (seed: number) => unknown): Promise<void> {
  const first = newSeed()
  for (let seed = first; seed < first + count; seed++) {
    try {
      await program(seed)
    } catch (error) {
      throw new Error(`TIMEOUT_WHEEL_SEED=${seed} fails`, { cause: error })
    }
  }
}

/** Compares two values. One `expect` takes as long as 100 calls, so a program calls it only if they differ. */
export function expectSame(actual: unknown, expected: unknown): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected)
}
