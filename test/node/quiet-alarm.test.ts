/** The alarm of the shared wheel on WebAssembly is used only on a host that passes its trials. See lib/node/drivers/quiet-alarm.ts. */
import { expect, it } from '@jest/globals'
import { CLEAN } from './backends.js'
import { run } from './child.js'

/** Changes a host function, then prints whether async hooks see the alarm of a timer, and that a timer runs. */
const program = (change: string): string => `
  import { createHook } from 'node:async_hooks'
  process.env.TIMEOUT_WHEEL_BACKEND = 'wasm'
  const { clearTimeout: clear, setTimeout: set } = globalThis
  const made = set(() => {})
  clear(made)
  const prototype = Object.getPrototypeOf(made)
  const { refresh } = prototype
  ${change}
  const { clearTimeout, setTimeout } = await import('timeout-wheel')
  const types = []
  createHook({ init: (id, type) => types.push(type) }).enable()
  // So long that the timer needs the alarm, even if this process stands still for a while.
  const timeout = setTimeout(() => {}, 60_000)
  setImmediate(() => {
    // The first resource is that of the timer.
    console.log(types.filter((type) => type === 'Timeout').length > 1 ? 'seen' : 'unseen')
    clearTimeout(timeout)
    setTimeout(() => console.log('ran'), 5)
  })
`

it('makes no async resource on Node', async () => {
  expect(await run(program(''))).toEqual({ ...CLEAN, lines: ['unseen', 'ran'] })
})

it.each([
  ['clearTimeout does not read _onTimeout', 'globalThis.clearTimeout = (timer) => clear(+timer)'],
  ['refresh() does not set a cleared timer again', 'prototype.refresh = function () { return this }'],
  [
    'refresh() refuses cleared timers',
    'prototype.refresh = function () { if (this._idleNext === null) return this; return refresh.call(this) }',
  ],
  ['the runtime does not list the modules of Node', 'process.moduleLoadList.length = 0'],
])('is an ordinary timer if %s', async (_, change) => {
  expect(await run(program(change))).toEqual({ ...CLEAN, lines: ['seen', 'ran'] })
})
