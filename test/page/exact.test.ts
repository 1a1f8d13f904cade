/** A page's timers count from their own calls, and keep their order on any clock. test/node/on-time.test.ts has turns with work. */
import { expect, it } from '@jest/globals'
import { ignore } from '../contract/backends.js'
import { newSeed, randomFrom } from '../contract/random.js'
import { numbersTo, pageWithWheel } from './simulated-page.js'

it('counts timers that callbacks set from their own calls, also after slow callbacks', async () => {
  const { page, wheel } = pageWithWheel()
  const late: number[] = []
  // Uses up the operations of its turn that get own readings, and leaves a row whose reading the next callbacks must not share.
  wheel.schedule(() => {
    for (let n = 0; n < 8 + 8; n++) wheel.schedule(ignore, 5000)
  }, 10)
  const setSlowly = (): void => {
    const due = page.time + 1000
    wheel.schedule(() => late.push(page.time - due), 1000)
    page.time += 5
  }
  for (let n = 0; n < 100; n++) wheel.schedule(setSlowly, 10)
  await page.run(2000)
  expect(late.length).toBe(100)
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...late)).toBeLessThanOrEqual(1)
})

// The clock of most pages moves in steps. Its readings are sums of binary fractions, so their last digits are inexact.
it.each([
  [1, 0],
  [1, 1],
  [1, 0.02],
  [10, 1],
  [7, 0.1],
])(
  'runs equal delays in the order of the calls and none early, ticks of %d ms and steps of %d ms',
  async (tick, step) => {
    const seed = newSeed()
    const { below } = randomFrom(seed)
    const { page, wheel } = pageWithWheel({ tick }, { step })
    const ran: number[] = []
    const early: number[] = []
    let set = 0
    const setSome = (): void => {
      for (let count = below(200); count > 0; count--) {
        const n = set++
        const due = page.time + 100
        wheel.schedule(() => {
          ran.push(n)
          if (page.time < due) early.push(n)
        }, 100)
        if (below(10) === 0) page.time += below(40) / 7
        else if (step > 0) page.time += step / 3
      }
    }
    // Two readings of the clock tell its step.
    await page.run(37.5)
    for (let turn = 0; turn < 60; turn++) {
      setSome()
      await page.run(below(30) / 3)
    }
    await page.run(1000)
    expect({ seed, early }).toEqual({ seed, early: [] })
    expect({ seed, ran }).toEqual({ seed, ran: numbersTo(set) })
  },
)
