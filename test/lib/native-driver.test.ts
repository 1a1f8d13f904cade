/** The driver of the addon, and how often it calls the addon to hold and to release the event loop. */
import { setImmediate } from 'node:timers/promises'
import { expect, it, jest } from '@jest/globals'
import { timeoutClass } from '../../lib/node/handles/handle.js'
import { ONCE } from '../../lib/node/handles/state.js'
import { loadAddon } from '../../lib/node/host/load-addon.js'
import { nodeHost } from '../../lib/node/host/node-host.js'
import { close, stop } from '../../lib/node/scheduler/ending.js'
import { Scheduler } from '../../lib/node/scheduler/scheduler.js'

const addon = loadAddon()
let calls = 0

class CountingWheel extends addon.Wheel {
  override hold(keepsLoopAlive: boolean): void {
    calls++
    super.hold(keepsLoopAlive)
  }
}
jest.doMock('../../lib/node/host/load-addon.js', () => ({
  loadAddon: () => ({ ...addon, Wheel: CountingWheel }),
}))
const { openNativeBackend } = jest.requireActual<typeof import('../../lib/node/drivers/native.js')>(
  '../../lib/node/drivers/native.js',
)

/** Jest has async hooks, which would see a microtask. */
const host = { ...nodeHost, hasAsyncHooks: () => false }
const Timeout = timeoutClass(host, false)

/** Returns the number of calls in each of five turns, in which `count` timers are set and end, one after the other. */
async function callsPerTurn(count: number): Promise<number[]> {
  const scheduler = new Scheduler(openNativeBackend(host), host, 1, 5)
  const perTurn: number[] = []
  try {
    for (let turn = 0; turn < 5; turn++) {
      calls = 0
      for (let n = 0; n < count; n++) new Timeout(() => {}, 1000, ONCE, [], scheduler).unref()
      await setImmediate()
      perTurn.push(calls)
      await setImmediate()
    }
  } finally {
    stop(scheduler)
    close(scheduler)
  }
  return perTurn
}

it('releases the event loop at once after few timers, and once for many, from the second turn on', async () => {
  expect(await callsPerTurn(1)).toEqual([2, 2, 2, 2, 2])
  expect(await callsPerTurn(2)).toEqual([4, 4, 4, 4, 4])
  expect(await callsPerTurn(10)).toEqual([6, 2, 2, 2, 2])
})
