/**
 * Who is measured. To add a rival, write an adapter in `contenders/` and list it here.
 *
 * @import { Entry } from './contenders/wheel.mjs'
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
    load: async () => (await import('./contenders/wheel.mjs'))[api](await entry()),
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
  load: async () => (await import(`./contenders/${name}.mjs`)).handles(),
})

/** @type {Contender[]} */
export const contenders = [
  {
    id: 'native',
    label: 'native setTimeout',
    group: 'native',
    api: 'handles',
    load: async () => (await import('./contenders/native.mjs')).handles(),
  },
  ...wheel('addon', () => import('timeout-wheel/native')),
  ...wheel('wasm', () => import('timeout-wheel/wasm')),
  rival('undici', "undici's fast timers"),
  rival('timer-wheel', 'timer-wheel'),
  rival('retimer', 'retimer'),
  rival('heap', 'a heap (heap-js)'),
  rival('worker-timers', 'worker-timers'),
]

/** What handles with an async context cannot go below. Not among the contenders: only where nothing has to fire. */
const floors = /** @satisfies {Record<string, Contender>} */ ({
  resource: {
    id: 'resource',
    label: 'no timer: an AsyncResource',
    group: 'floor',
    api: 'handles',
    load: async () => (await import('./contenders/resource.mjs')).handles(),
  },
  written: {
    id: 'written',
    label: 'no timer: an AsyncResource is written into',
    group: 'floor',
    api: 'handles',
    load: async () => (await import('./contenders/resource.mjs')).written(),
  },
})

/**
 * @param {Contender[]} compared
 * @param {{ full: boolean }} settings
 * @param {keyof typeof floors} [floor]
 * @returns {Contender[]}  with the floor below them, in the long form
 */
export const withFloor = (compared, { full }, floor = 'resource') =>
  full ? [...compared, floors[floor]] : compared

/**
 * @param {string | undefined} id
 * @returns {Promise<Timers>}
 */
export const loadContender = (id) => {
  const contender = [...contenders, ...Object.values(floors)].find((candidate) => candidate.id === id)
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
