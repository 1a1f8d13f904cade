/**
 * The contenders: all implementations of timers that are measured. `load` rejects if the contender cannot run here. Otherwise it returns
 * `set(fn, delay)`, `setWith(fn, delay, argument)`, `clear(timer)` and `refresh(timer, delay)`. A timer is the value that `set` returns.
 */

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
    load: async () => (await import('./wheel.mjs'))[api](await entry()),
  }))

/** The timers that undici uses for its connections: a list that is searched twice a second. They run up to a second late. */
async function loadUndici() {
  const { default: timers } = await import('undici/lib/util/timers.js')
  return {
    set: (fn, delay) => timers.setFastTimeout(fn, delay),
    setWith: (fn, delay, arg) => timers.setFastTimeout(fn, delay, arg),
    clear: (timer) => timers.clearFastTimeout(timer),
    refresh: (timer) => timer.refresh(),
  }
}

export const contenders = [
  {
    ...{ id: 'native', label: 'native setTimeout', group: 'native', api: 'handles' },
    load: async () => (await import('./wheel.mjs')).handles(await import('node:timers')),
  },
  ...wheel('addon', () => import('timeout-wheel/native')),
  ...wheel('wasm', () => import('timeout-wheel/wasm')),
  { id: 'undici', label: "undici's fast timers", group: 'rival', api: 'handles', load: loadUndici },
]

const floor = (id, make, label) => ({
  ...{ id, label: `no timer: ${label}`, group: 'floor', api: 'handles' },
  load: async () => (await import('./floors.mjs'))[make](),
})

/** The least work that handles need. These are not contenders, because none of them is a timer. */
export const floors = [
  floor('field', 'field', 'a store into a field'),
  floor('resource', 'made', 'an AsyncResource'),
  floor('run', 'run', 'an AsyncResource is run at its time'),
]

const find = (id) => [...contenders, ...floors].find((one) => one.id === id)

export const isContender = (id) => find(id) !== undefined

export const loadContender = (id) => find(id).load()

/** Loads each contender once, to find those that can run here, and the reasons why others cannot. */
export async function findContenders(withRivals) {
  const available = []
  const missing = new Map()
  for (const contender of contenders) {
    const { group, label } = contender
    if (group === 'rival' && !withRivals) continue
    try {
      await contender.load()
      available.push(contender)
    } catch (error) {
      const name = group === 'rival' ? label : group
      missing.set(name, { label: name, reason: error instanceof Error ? error.message : String(error) })
    }
  }
  return { available, missing: [...missing.values()] }
}
