/** The alarm of the shared wheel on WebAssembly is used only on a host that passes its trials. See lib/node/drivers/quiet-alarm.ts. */
import { prints } from './prints.js'

/** Changes a host function, then prints whether async hooks see the alarm of a timer, and that a timer runs. */
const program = (change: string): string => `
  import { createHook } from 'node:async_hooks'
  process.env.TIMEOUT_WHEEL_BACKEND = 'wasm'
  const { clearTimeout: clear, setTimeout: set } = globalThis
  const made = set(() => {}); clear(made)
  const prototype = Object.getPrototypeOf(made), { refresh } = prototype
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

prints(`
  # makes no async resource on Node -> unseen | ran
  ${program('')}`)

const ODD_HOSTS = {
  'clearTimeout does not read _onTimeout': 'globalThis.clearTimeout = (timer) => clear(+timer)',
  'refresh() does not set a cleared timer again': 'prototype.refresh = function () { return this }',
  'refresh() refuses cleared timers':
    'prototype.refresh = function () { return this._idleNext === null ? this : refresh.call(this) }',
  'the runtime does not list the modules of Node': 'process.moduleLoadList.length = 0',
}
for (const [host, change] of Object.entries(ODD_HOSTS))
  prints(`
    # is an ordinary timer if ${host} -> seen | ran
    ${program(change)}`)
