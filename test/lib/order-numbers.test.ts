/** Order numbers start again after a billion operations; in these tests after a few hundred. */
import { describe, expect, it, jest } from '@jest/globals'
import type { Backend, Wheel } from '../contract/backends.js'
import { runGroupProgram } from '../contract/group-program.js'
import { runProgram } from '../contract/model-program.js'
import { forEachSeed } from '../contract/random.js'
import { scaled } from '../scale.js'

const wheels: Wheel[] = []
const pending = (): number => Math.max(0, ...wheels.map((wheel) => wheel.pending))
/** The operations after which order numbers start again, besides twice the pending timers. */
let after = 0
let restarts = 0

const CONSTANTS = '../../lib/common/constants.js'
jest.doMock(CONSTANTS, () =>
  Object.defineProperty({ ...jest.requireActual<object>(CONSTANTS) }, 'LAST_ORDER', {
    get() {
      restarts++
      return after + 2 * pending()
    },
  }),
)

function entryOf(name: string): Backend {
  const entry: Backend = require(`../../lib/entry/${name}.js`)
  const construct = (Class: Backend['TimerWheel'], args: object[]): Wheel => {
    const wheel = new Class(...args)
    wheels.push(wheel)
    return wheel
  }
  return { ...entry, TimerWheel: new Proxy(entry.TimerWheel, { construct }) }
}

describe.each(['native', 'wasm', 'browser'])('if order numbers start again: %s', (name) => {
  const entry = entryOf(name)

  it('runs random programs like a sorted list', () => {
    forEachSeed(scaled(6, 60), (seed) => {
      wheels.length = 0
      after = 5 + (seed % 80)
      runProgram(entry, seed)
      runGroupProgram(entry, seed)
    })
    expect(restarts).toBeGreaterThan(0)
  })
})
