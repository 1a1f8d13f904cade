/** As test/contract/interrupted. Here exceptions interrupt calls of the compiled core and of the clock too. */
import { expect, it, jest } from '@jest/globals'
import type { WasmExports } from '../../lib/memory/wasm-exports.js'
import type { Backend } from '../contract/backends.js'
import { everywhere, interruptMethods } from '../contract/everywhere.js'
import { specifyInterruptions } from '../contract/interrupted-operations.js'
import { SimulatedPage } from './simulated-page.js'
import { virtualScheduler } from './virtual-scheduler.js'

const WASM = '../../lib/memory/instantiate-wasm.js'
const { instantiateWasm } = jest.requireActual<{ instantiateWasm(): WasmExports }>(WASM)

/** Lets an attempt interrupt each call of an object's functions. */
function interruptible<T extends object>(functions: T): T {
  const object = Object.create(functions)
  interruptMethods(object)
  return object
}

/** Makes a core whose calls can be interrupted, also between the growth of its memory and the next step. */
function openCore(): WasmExports {
  const core = instantiateWasm()
  const memory = interruptible({ read: () => core.memory.buffer, next: (before: number) => before })
  return Object.assign(interruptible({ ...core }), {
    memory: {
      get buffer() {
        return memory.read()
      },
      grow: (pages: number) => memory.next(core.memory.grow(pages)),
    },
  })
}

jest.doMock(WASM, () => ({ instantiateWasm: openCore }))
const TIME = '../../lib/common/virtual-time.js'
const { openVirtualTime } = jest.requireActual<typeof import('../../lib/common/virtual-time.js')>(TIME)
const openTime: typeof openVirtualTime = (tick, open) =>
  openVirtualTime(tick, (read, time) => {
    const clock = interruptible({ read })
    return open(() => clock.read(), time)
  })
jest.doMock(TIME, () => ({ openVirtualTime: openTime }))
// The simulated page has loaded the modules as they are.
jest.resetModules()
const page: Backend = require('../../lib/entry/browser.js')

// The suite page-contract has the ends of the stack.
specifyInterruptions(page, [{ title: 'a wheel with timers' }], true)

it('ends the worker of a wheel after an interrupted stop()', () => {
  everywhere((attempt) => {
    const simulated = new SimulatedPage({ workers: 'run' })
    const wheel = new simulated.api.TimerWheel({ driver: 'worker' })
    attempt(() => wheel.stop())
    wheel.stop()
    expect(simulated.workers).toBe(0)
  })
})

it('reads the clock again if its last reading was interrupted after the core had closed the epoch', () => {
  let interrupts = false
  const core = instantiateWasm()
  const begin = (now: number): void => {
    if (!interrupts) return core.begin(now)
    core.end(now)
    throw new Error('interrupted')
  }
  const { clock, scheduler, run } = virtualScheduler(undefined, () => ({ ...core, begin }))
  const ranAt: number[] = []
  // Operations 33 to 40 share a reading, which the next operation would use too.
  for (let n = 0; n < 40; n++) scheduler._schedule(0, () => {}, 5000)
  clock.time = 0.9
  interrupts = true
  expect(() => scheduler._readClock()).toThrow('interrupted')
  interrupts = false
  scheduler._schedule(0, () => ranAt.push(clock.time), 100)
  run(1000)
  expect(ranAt).toEqual([101])
})
