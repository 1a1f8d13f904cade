/**
 * Who is measured. To add a rival, write an adapter in `contenders/` and list it here.
 *
 * @import { Entry } from './wheel.mjs'
 *
 * @typedef {object} Timers
 * The operations every contender offers. A timer is whatever its `set` returns: an object or a number.
 * @property {(fn: () => void, delay: number) => any} set
 * @property {(fn: (arg: any) => void, delay: number, arg: unknown) => any} setWith
 * @property {(timer: any) => unknown} clear
 * @property {(timer: any, delay: number) => unknown} refresh  Start again, with the delay it was set with.
 *
 * @typedef {'handles' | 'handlesWithoutContext' | 'numbers'} Api
 * @typedef {'native' | 'addon' | 'wasm' | 'rival' | 'floor'} Group
 *
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} label
 * @property {Group} group
 * @property {Api} api
 * @property {() => Promise<Timers>} load  Rejects where this contender cannot run.
 *
 * @typedef {{ label: string, reason: string }} Missing  What cannot run here, and why.
 */

/** @type {Record<Api, string>} */
const apiLabels = {
  handles: 'setTimeout',
  handlesWithoutContext: 'setTimeout, no async context',
  numbers: 'schedule, numbers',
}

/**
 * @param {Group} group
 * @param {() => Promise<Entry>} entry
 * @returns {Contender[]}
 */
const wheel = (group, entry) =>
  /** @type {Api[]} */ (Object.keys(apiLabels)).map((api) => ({
    id: `${group}-${api}`,
    label: `${group}: ${apiLabels[api]}`,
    group,
    api,
    load: async () => (await import('./wheel.mjs'))[api](await entry()),
  }))

/**
 * @param {string} name  of a file of contenders/
 * @param {string} label
 * @returns {Contender}
 */
const rival = (name, label) => ({
  id: name,
  label,
  group: 'rival',
  api: 'handles',
  load: async () => (await import(`./${name}.mjs`)).handles(),
})

/** @type {Contender[]} */
export const contenders = [
  {
    id: 'native',
    label: 'native setTimeout',
    group: 'native',
    api: 'handles',
    load: async () => (await import('./native.mjs')).handles(),
  },
  ...wheel('addon', () => import('timeout-wheel/native')),
  ...wheel('wasm', () => import('timeout-wheel/wasm')),
  rival('undici', "undici's fast timers"),
  rival('timer-wheel', 'timer-wheel'),
  rival('retimer', 'retimer'),
  rival('heap', 'a heap (heap-js)'),
  rival('worker-timers', 'worker-timers'),
]

/**
 * @param {string} id
 * @param {Api} api
 * @param {string} label
 * @param {() => Promise<Timers>} load
 * @returns {Contender}
 */
const floor = (id, api, label, load) => ({ id, label: `no timer: ${label}`, group: 'floor', api, load })

const ofSlots = () => import('./slots.mjs')
const ofResources = () => import('./resource.mjs')

/** What the timers of each kind cannot go below. Not among the contenders: none is a timer. */
export const floors = [
  floor('stored', 'numbers', 'a callback in a slot', async () => (await ofSlots()).stored()),
  floor('object', 'handlesWithoutContext', 'an object in a slot', async () => (await ofSlots()).object()),
  floor('resource', 'handles', 'an AsyncResource', async () => (await ofResources()).handles()),
  floor('kept', 'handles', 'an AsyncResource is kept', async () => (await ofResources()).kept()),
  floor('written', 'handles', 'an AsyncResource is written into', async () =>
    (await ofResources()).written(),
  ),
  floor('run', 'handles', 'an AsyncResource is run at its time', async () => (await ofResources()).run()),
]

/**
 * @param {Contender[]} compared
 * @param {{ full: boolean }} settings
 * @param {string[]} ids
 * @returns {Contender[]}  with floors below them, in the long form
 */
export const withFloors = (compared, { full }, ids) =>
  full ? [...compared, ...floors.filter(({ id }) => ids.includes(id))] : compared

/**
 * @param {string | undefined} id
 * @returns {Promise<Timers>}
 */
export const loadContender = (id) => {
  const contender = [...contenders, ...floors].find((candidate) => candidate.id === id)
  if (!contender) throw new RangeError(`no contender is called '${id}'`)
  return contender.load()
}

/**
 * Tries each contender once.
 *
 * @param {boolean} withRivals
 * @returns {Promise<{ available: Contender[], missing: Missing[] }>}
 */
export const findContenders = async (withRivals) => {
  const available = []
  /** @type {Map<string, Missing>} */
  const missing = new Map()
  for (const contender of contenders) {
    const { group } = contender
    if (group === 'rival' && !withRivals) continue
    try {
      await contender.load()
      available.push(contender)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      const label = group === 'rival' ? contender.label : group
      missing.set(label, { label, reason })
    }
  }
  return { available, missing: [...missing.values()] }
}
