/**
 * The contenders: all implementations of timers that are measured. To add a package, write an adapter in this folder and list it
 * here.
 *
 * @import { Entry } from './wheel.mjs'
 *
 * @typedef {object} Timers
 * The operations of a contender. A timer is the value that `set` returns: an object or a number.
 * @property {(fn: () => void, delay: number) => any} set
 * @property {(fn: (arg: any) => void, delay: number, arg: unknown) => any} setWith
 * @property {(timer: any) => unknown} clear
 * @property {(timer: any, delay: number) => unknown} refresh  Starts the same delay again.
 *
 * @typedef {'handles' | 'handlesWithoutContext' | 'numbers'} Api
 * @typedef {'native' | 'addon' | 'wasm' | 'rival' | 'floor'} Group
 *
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} label
 * @property {Group} group
 * @property {Api} api
 * @property {() => Promise<Timers>} load  Rejects if this contender cannot run.
 *
 * @typedef {{ label: string, reason: string }} Missing  A contender that cannot run here, and the reason.
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
 * @param {string} name  Name of a file of this folder.
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

/**
 * The least work that each kind of timers needs. These are not contenders, because none of them is a timer.
 */
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
 * @returns {Contender[]}  In the long form, followed by the floors with these ids.
 */
export const withFloors = (compared, { full }, ids) =>
  full ? [...compared, ...floors.filter(({ id }) => ids.includes(id))] : compared

/**
 * @param {string | undefined} id
 * @returns {Promise<Timers>}
 */
export const loadContender = (id) => {
  const contender = [...contenders, ...floors].find((candidate) => candidate.id === id)
  if (!contender) throw new RangeError(`there is no contender '${id}'`)
  return contender.load()
}

/**
 * Loads each contender once, to find those that can run here.
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
