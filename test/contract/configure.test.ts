/** `configure` sets the options of the shared wheel and refuses invalid ones. */
import { expect, it } from '@jest/globals'
import { onEachBackend, thrownBy } from './backends.js'
import { busyWait, turn } from './clock.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const RANGE = 'ERR_OUT_OF_RANGE'
const DEFAULT_BUDGET = 5

onEachBackend((backend) => {
  const { configure, setTimeout } = backend
  /** Returns how many of 30 callbacks of 0.5 ms, all due at once, run in the longest turn. */
  async function longestSlice(): Promise<number> {
    let ran = 0
    for (let i = 0; i < 30; i++) {
      setTimeout(() => {
        ran++
        busyWait(0.5)
      }, 1)
    }
    busyWait(3)
    let longest = 0
    while (ran < 30) {
      const before = ran
      await turn()
      longest = Math.max(longest, ran - before)
    }
    return longest
  }
  /**
   * Without a budget, all but the first run in one turn: a page runs the first in a task of its own. With a budget, some
   * are left for later turns, even if a slow machine exceeds the budget.
   */
  const WITHOUT_BUDGET = 29

  it('sets the budget of the shared wheel at any time', async () => {
    try {
      configure({ budget: Number.POSITIVE_INFINITY })
      expect(await longestSlice()).toBeGreaterThanOrEqual(WITHOUT_BUDGET)
      configure({ budget: 1 })
      expect(await longestSlice()).toBeLessThan(WITHOUT_BUDGET)
      configure({})
      configure({ budget: undefined })
      expect(await longestSlice()).toBeLessThan(WITHOUT_BUDGET)
    } finally {
      configure({ budget: DEFAULT_BUDGET })
    }
    expect(await longestSlice()).toBeLessThan(WITHOUT_BUDGET)
  })

  // A page, which has no immediates, cannot measure its shared wheel.
  const every = `every option must be one of budget${'setImmediate' in backend ? ', measure' : ''}, got`
  const budget = 'budget must be a number of milliseconds'
  const wrong = [
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
  ] as const

  it('refuses wrong options, and changes nothing', async () => {
    configure({ budget: Number.POSITIVE_INFINITY })
    try {
      for (const [options, Class, code, message] of wrong) {
        const error = thrownBy(() => configure(options as never))
        expect(error).toBeInstanceOf(Class)
        expect(error).toMatchObject({ code, message })
      }
      expect(await longestSlice()).toBeGreaterThanOrEqual(WITHOUT_BUDGET)
    } finally {
      configure({ budget: DEFAULT_BUDGET })
    }
  })
})
