/**
 * The contenders: all implementations of timers that are measured. To add a package, write an adapter and list it here.
 *
 * A contender has an id, a label, a group (`native`, `addon`, `wasm`, `rival`, `floor`), an api, and `load`, which rejects if the
 * contender cannot run here. `load` returns `set(fn, delay)`, `setWith(fn, delay, argument)`, `clear(timer)` and
 * `refresh(timer, delay)`. A timer is the value that `set` returns.
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

const rival = (id, label) => ({
  ...{ id, label, group: 'rival', api: 'handles' },
  load: async () => (await import('./rivals.mjs'))[id](),
})

export const contenders = [
  {
    ...{ id: 'native', label: 'native setTimeout', group: 'native', api: 'handles' },
    load: async () => (await import('./native.mjs')).handles(),
  },
  ...wheel('addon', () => import('timeout-wheel/native')),
  ...wheel('wasm', () => import('timeout-wheel/wasm')),
  rival('undici', "undici's fast timers"),
]

const floor = (id, api, label, load) => ({ id, label: `no timer: ${label}`, group: 'floor', api, load })
const ofSlots = (name) => async () => (await import('./slots.mjs'))[name]()
const ofResources = (name) => async () => (await import('./resource.mjs'))[name]()

/** The least work that each kind of timers needs. These are not contenders, because none of them is a timer. */
export const floors = [
  floor('stored', 'numbers', 'a callback in a slot', ofSlots('stored')),
  floor('object', 'handlesWithoutContext', 'an object in a slot', ofSlots('object')),
  floor('field', 'handles', 'a store into a field', ofSlots('field')),
  floor('resource', 'handles', 'an AsyncResource', ofResources('handles')),
  floor('kept', 'handles', 'an AsyncResource is kept', ofResources('kept')),
  floor('written', 'handles', 'an AsyncResource is written into', ofResources('written')),
  floor('run', 'handles', 'an AsyncResource is run at its time', ofResources('run')),
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
