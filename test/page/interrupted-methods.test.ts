/**
 * Exceptions interrupt one method of a wheel in all places: built-in functions throw when the library calls them, and the
 * stack ends at all depths. Afterwards each promise holds, for a method that took effect or for one that did not.
 */
import { describe, expect, it } from '@jest/globals'
import type { TimerWheel } from '../../lib/api/wheel.js'
import { SimulatedPage } from './simulated-page.js'

class Interruption extends Error {}

/** The call of a built-in function at which it throws; 0: never. */
let callsLeft = 0

/** Runs code in which the call number `n` of a built-in function throws. Returns whether the code ran to its end. */
function interruptedAt(n: number, code: () => void): boolean {
  callsLeft = n
  try {
    code()
    return true
  } catch (error) {
    if (!(error instanceof Interruption)) throw error
    return false
  } finally {
    callsLeft = 0
  }
}

const BUILT_INS: [object, string[]][] = [
  [Array.prototype, ['concat', 'map', 'pop', 'push', 'sort', 'splice']],
  [Map.prototype, ['delete', 'get', 'set']],
  [Set.prototype, ['add', 'delete']],
  [FinalizationRegistry.prototype, ['register', 'unregister']],
  [Math, ['floor', 'max', 'min', 'trunc']],
  [Reflect, ['apply']],
]

for (const [owner, names] of BUILT_INS) {
  for (const name of names) {
    const builtIn = (owner as Record<string, (...args: unknown[]) => unknown>)[name]!
    const { apply } = Reflect
    Object.defineProperty(owner, name, {
      configurable: true,
      writable: true,
      value(this: unknown, ...args: unknown[]) {
        if (callsLeft > 0 && --callsLeft === 0) throw new Interruption(name)
        return apply(builtIn, this, args)
      },
    })
  }
}

/** Runs code near the end of the stack, with room for `frames` calls of a small function. Returns whether it ran to its end. */
function withRoomFor(frames: number, code: () => void): boolean {
  let returned = 0
  let isDone = false
  let failure: unknown
  const descend = (): void => {
    try {
      descend()
    } catch {
      // This is the deepest frame.
    }
    if (returned++ !== frames) return
    try {
      code()
      isDone = true
    } catch (error) {
      if (!(error instanceof RangeError)) failure = error
    }
  }
  descend()
  if (failure !== undefined) throw failure
  return isDone
}

/** A trial gets a function that runs code and interrupts it, and returns whether it ran to its end. */
type Trial = (attempt: (code: () => void) => boolean) => void

/** Repeats a trial until the last place to interrupt it is passed. */
function everywhere(trial: Trial): void {
  let interruptions = 0
  for (const run of [interruptedAt, withRoomFor]) {
    for (let n = 1, uninterrupted = 0; uninterrupted < 20; n++) {
      let isDone = true
      trial((code) => {
        isDone = run(n, code)
        return isDone
      })
      uninterrupted = isDone ? uninterrupted + 1 : 0
      if (!isDone) interruptions++
    }
  }
  expect(interruptions).toBeGreaterThan(10)
}

const open = (): TimerWheel => new new SimulatedPage().api.TimerWheel({ driver: 'manual' })

/** The number of the block in an id. */
const numberIn = (id: number): number => Math.floor(id / 2 ** 13) % 2 ** 14

/** The first number of a block that a new wheel would claim. */
function nextNumber(): number {
  const wheel = open()
  const number = numberIn(wheel.schedule(() => {}, 1))
  wheel.stop()
  return number
}

const ignore = (_argument?: unknown): void => {}

describe('after an interruption', () => {
  it('of stop(), the next call returns all timers, and their handles are over', () => {
    everywhere((attempt) => {
      const wheel = open()
      const handles = [20, 10].map((ms) => wheel.setTimeout(ignore, ms, ms))
      wheel.schedule(ignore, 15, 15)
      let left: ReturnType<TimerWheel['stop']> | undefined
      attempt(() => {
        left = wheel.stop()
      })
      left ??= wheel.stop()
      expect(left.map(({ args }) => args)).toEqual([[10], [15], [20]])
      expect(left.map(({ timeout }) => timeout)).toEqual([handles[1], undefined, handles[0]])
      expect(wheel.stop()).toEqual([])
      for (const handle of handles) handle.refresh().close()
      expect(wheel.pending).toBe(0)
    })
  })

  it('of stop(), the next call ends the worker', () => {
    everywhere((attempt) => {
      const page = new SimulatedPage({ workers: 'run' })
      const wheel = new page.api.TimerWheel({ driver: 'worker' })
      attempt(() => wheel.stop())
      wheel.stop()
      expect(page.workers).toBe(0)
    })
  })

  it('of stop() or schedule(), no number of ids is lost', () => {
    const first = nextNumber()
    everywhere((attempt) => {
      const wheel = open()
      attempt(() => wheel.schedule(ignore, 10))
      wheel.schedule(ignore, 10)
      attempt(() => wheel.stop())
      wheel.stop()
      expect(nextNumber()).toBe(first)
    })
  })

  it('of advance(), an interval goes on', () => {
    everywhere((attempt) => {
      const wheel = open()
      let runs = 0
      const interval = wheel.setInterval(() => {
        runs++
      }, 10)
      const number = +interval
      attempt(() => wheel.advance(10))
      wheel.advance(100)
      expect(runs).toBeGreaterThanOrEqual(9)
      wheel.clearTimeout(number)
      const before = runs
      wheel.advance(100)
      expect({ runs, pending: wheel.pending }).toEqual({ runs: before, pending: 0 })
    })
  })

  it('of refresh() of a timer that is over, its number clears the timer', () => {
    everywhere((attempt) => {
      const wheel = open()
      const timeout = wheel.setTimeout(ignore, 10)
      const number = +timeout
      wheel.advance(10)
      attempt(() => timeout.refresh())
      wheel.clearTimeout(number)
      expect(wheel.pending).toBe(0)
    })
  })

  it('of the first use of a number, the number that is read next clears the timer', () => {
    everywhere((attempt) => {
      const wheel = open()
      const timeout = wheel.setTimeout(ignore, 10)
      attempt(() => +timeout)
      wheel.clearTimeout(+timeout)
      expect(wheel.pending).toBe(0)
    })
  })
})
