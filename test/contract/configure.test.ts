/** Options of the shared wheel, and what `configure` refuses. */
import { expect, it } from '@jest/globals'
import { onEachBackend, thrownBy } from './backends.js'
import { busyWait, turn } from './clock.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const RANGE = 'ERR_OUT_OF_RANGE'
const DEFAULT_BUDGET = 5

onEachBackend(({ configure, setTimeout }) => {
  /** How many of 60 callbacks of 0.5 ms, due at once, run in the first turn that runs any. */
  async function firstSlice(): Promise<number> {
    let ran = 0
    const all = Array.from(
      { length: 30 },
      () =>
        new Promise<void>((resolve) => {
          setTimeout(() => {
            ran++
            busyWait(0.5)
            resolve()
          }, 1)
        }),
    )
    busyWait(3)
    while (ran === 0) await turn()
    const first = ran
    await Promise.all(all)
    return first
  }

  it('sets the budget of the shared wheel, whenever it is called', async () => {
    try {
      configure({ budget: Number.POSITIVE_INFINITY })
      expect(await firstSlice()).toBe(30)
      configure({ budget: 1 })
      // The clock is read after each callback that takes as long as these.
      expect(await firstSlice()).toBeLessThanOrEqual(2)
      configure({})
      configure({ budget: undefined })
      expect(await firstSlice()).toBeLessThanOrEqual(2)
    } finally {
      configure({ budget: DEFAULT_BUDGET })
    }
    expect(await firstSlice()).toBeLessThanOrEqual(10)
  })

  const every = "every option must be 'budget', got"
  const budget = 'budget must be a number of milliseconds'
  it.each([
    [undefined, TypeError, TYPE, 'options must be an object, got undefined'],
    [null, TypeError, TYPE, 'options must be an object, got null'],
    [5, TypeError, TYPE, 'options must be an object, got 5'],
    [[], TypeError, TYPE, 'options must be an object, got an array'],
    [{ tick: 1 }, TypeError, 'ERR_INVALID_ARG_VALUE', `${every} "tick"`],
    [{ budget: 1, Budget: 1 }, TypeError, 'ERR_INVALID_ARG_VALUE', `${every} "Budget"`],
    [{ budget: '5' }, TypeError, TYPE, `${budget}, got "5"`],
    [{ budget: null }, TypeError, TYPE, `${budget}, got null`],
    [{ budget: 0 }, RangeError, RANGE, `${budget} above 0, or Infinity, got 0`],
    [{ budget: -1 }, RangeError, RANGE, `${budget} above 0, or Infinity, got -1`],
    [{ budget: Number.NaN }, RangeError, RANGE, `${budget} above 0, or Infinity, got NaN`],
  ])('refuses %p, and changes nothing', async (options, Class, code, message) => {
    configure({ budget: Number.POSITIVE_INFINITY })
    try {
      const error = thrownBy(() => configure(options as never))
      expect(error).toBeInstanceOf(Class)
      expect(error).toMatchObject({ code, message })
      expect(await firstSlice()).toBe(30)
    } finally {
      configure({ budget: DEFAULT_BUDGET })
    }
  })
})
