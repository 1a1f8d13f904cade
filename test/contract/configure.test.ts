/** `configure` sets the options of the shared wheel and refuses invalid ones. */
import { expect, it } from '@jest/globals'
import { expectRefusal, isForNode, onEachBackend, RANGE, TYPE, VALUE } from './backends.js'
import { busyWait, turn } from './clock.js'

const DEFAULT_BUDGET = 5

onEachBackend((backend) => {
  const { configure, setTimeout } = backend
  /**
   * Returns whether 30 callbacks of 0.5 ms, all due at once, run without a budget. Then all but the first run in one turn: a page
   * runs the first in a task of its own. With a budget, some are left for later turns, even if a slow machine exceeds it.
   */
  async function hasNoBudget(): Promise<boolean> {
    let ran = 0
    for (let i = 0; i < 30; i++) {
      setTimeout(() => {
        ran++
        busyWait(0.5)
      }, 10)
    }
    // The delays of the last timers count from the end of the turn.
    await turn()
    busyWait(12)
    let longest = 0
    while (ran < 30) {
      const before = ran
      await turn()
      longest = Math.max(longest, ran - before)
    }
    return longest >= 29
  }

  // A page, which has no immediates, cannot measure its shared wheel.
  const every = `every option must be one of budget${isForNode(backend) ? ', measure' : ''}, got`
  const budget = 'budget must be a number of milliseconds'
  const wrong: [options: unknown, code: string, message: string][] = [
    [undefined, TYPE, 'options must be an object, got undefined'],
    [[], TYPE, 'options must be an object, got an array'],
    [{ budget: 1, Budget: 1 }, VALUE, `${every} "Budget"`],
    // bad-arguments.test.ts has more values.
    [{ budget: null }, TYPE, `${budget}, got null`],
    [{ budget: 0 }, RANGE, `${budget} above 0, or Infinity, got 0`],
  ]

  it('sets the budget of the shared wheel at any time; wrong options change nothing', async () => {
    try {
      expect(await hasNoBudget()).toBe(false)
      configure({ budget: Number.POSITIVE_INFINITY })
      expect(await hasNoBudget()).toBe(true)
      for (const [options, code, message] of wrong) {
        expectRefusal(() => configure(options as never), code, message)
      }
      expect(await hasNoBudget()).toBe(true)
      configure({ budget: 1 })
      configure({})
      configure({ budget: undefined })
      expect(await hasNoBudget()).toBe(false)
    } finally {
      configure({ budget: DEFAULT_BUDGET })
    }
  })
})
