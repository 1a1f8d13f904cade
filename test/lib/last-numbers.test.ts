/** White-box: the last numbers of a unit, which would take hours by public calls. */
import { callbacksOf } from '../../lib/kernel/callbacks.js'
import { LAST_STATE } from '../../lib/kernel/constants.js'
import { openKernel } from '../../lib/kernel/kernel.js'
import { ownedOf } from '../../lib/kernel/owners.js'
import type { Owner } from '../../lib/kernel/target.js'
import { instantiateWasm } from '../../lib/memory/instantiate-wasm.js'
import { FIRST_BLOCK, STATES } from '../../lib/memory/layout.js'
import { wasmCores } from '../../lib/memory/wasm-core.js'

const ignore = (): void => {}

function open() {
  const driver = { _now: () => 0, _applies: ignore, _hold: ignore, _release: ignore, _close: ignore }
  const core = wasmCores(instantiateWasm)(1, driver)
  const kernel = openKernel(core, { tick: 1, unref: false })
  /** Leaves a free unit of the first block its last number. */
  const useUp = (unit: number): void => {
    core.words[FIRST_BLOCK + STATES + unit] = LAST_STATE - 4
  }
  return { core, kernel, useUp }
}

it('uses a unit up to its last number, and never again', () => {
  const { kernel, useUp } = open()
  const unit = callbacksOf(kernel)._schedule(ignore, 1000, undefined)
  callbacksOf(kernel)._cancel(unit)
  useUp(unit)
  expect(callbacksOf(kernel)._schedule(ignore, 1000, undefined)).toBe(unit)
  const last = kernel._numberOf(unit)
  expect([last < 2 ** 52, kernel._unitOf(last)]).toEqual([true, unit])
  callbacksOf(kernel)._cancel(unit)
  const others = Array.from({ length: 10 }, () => callbacksOf(kernel)._schedule(ignore, 1000, undefined))
  expect([kernel._unitOf(last), others.includes(unit)]).toEqual([0, false])
})

it('uses no unit of a group again whose numbers are used up, nor a span of such units', () => {
  const { kernel, useUp } = open()
  const owner = { _free: 0, _spans: [], _size: 0, _isReferenced: true, _expire: ignore } as never as Owner
  const add = (count: number): number[] =>
    Array.from({ length: count }, () => ownedOf(kernel)._set(owner, 0, 10))
  const units = add(32)
  const span = Math.min(...units)
  expect([...units].sort((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, i) => span + i))
  for (const unit of units) ownedOf(kernel)._end(owner, unit)
  for (const unit of units) useUp(unit)
  const last = add(32)
  const numbers = last.map(kernel._numberOf)
  expect([...last].sort((a, b) => a - b)).toEqual(Array.from({ length: 32 }, (_, i) => span + i))
  for (const unit of last) ownedOf(kernel)._end(owner, unit)
  const next = add(40)
  expect(Math.min(...next)).toBeGreaterThanOrEqual(span + 32)
  expect(numbers.map(kernel._unitOf)).toEqual(Array(32).fill(0))
  expect(owner._size).toBe(40)
})
