/**
 * The contenders: all implementations of timers that are measured. `load` rejects if the contender cannot run here. Otherwise it returns
 * `set(fn, delay)`, `setWith(fn, delay, argument)`, `clear(timer)` and `refresh(timer, delay)`. A timer is the value that `set` returns.
 */
import { handles, handlesWithoutContext, numbers } from './wheel.mjs'

const adapters = { handles, handlesWithoutContext, numbers }
const apiLabels = {
  handles: 'setTimeout',
  handlesWithoutContext: 'setTimeout, no async context',
  numbers: 'schedule, numbers',
}

const wheel = (group, entry) =>
  Object.keys(apiLabels).map((api) => ({
    id: `${group}-${api}`,
    label: `${group}: ${apiLabels[api]}`,
    group,
    api,
    load: async () => adapters[api](await entry()),
  }))

/** The timers that undici uses for its connections: a list that is searched twice a second. They run up to a second late. */
async function loadUndici() {
  const { default: timers } = await import('undici/lib/util/timers.js')
  return handles({ setTimeout: timers.setFastTimeout, clearTimeout: timers.clearFastTimeout })
}

export const contenders = [
  {
    ...{ id: 'native', label: 'native setTimeout', group: 'native', api: 'handles' },
    load: async () => handles(await import('node:timers')),
  },
  ...wheel('addon', () => import('timeout-wheel/native')),
  ...wheel('wasm', () => import('timeout-wheel/wasm')),
  { id: 'undici', label: "undici's fast timers", group: 'rival', api: 'handles', load: loadUndici },
]

const floor = (id, label) => ({
  ...{ id, label: `no timer: ${label}`, group: 'floor', api: 'handles' },
  load: async () => (await import('./floors.mjs'))[id](),
})

/** The least work that handles need. These are not contenders, because none of them is a timer. */
export const floors = [
  floor('field', 'a store into a field'),
  floor('resource', 'an AsyncResource'),
  floor('run', 'an AsyncResource is run at its time'),
]

export const findContender = (id) => [...contenders, ...floors].find((one) => one.id === id)

/** Loads each contender once, to find those that can run here, and the reasons why others cannot. */
export async function findContenders(withRivals) {
  const available = []
  const missing = new Map()
  for (const contender of contenders) {
    const { group, label, load } = contender
    if (group === 'rival' && !withRivals) continue
    try {
      await load()
      available.push(contender)
    } catch (error) {
      const name = group === 'rival' ? label : group
      missing.set(name, { label: name, reason: error.message })
    }
  }
  return { available, missing: [...missing.values()] }
}
