/**
 * The timers of one world, in the process that measures it. The process uses only one shape of call, because the engine compiles
 * code for the shapes that it has seen.
 *
 * @import { World } from './worlds.mjs'
 *
 * @typedef {object} WorldTimers
 * @property {(fn: (argument: any) => void, delay: number) => any} set
 * @property {(timer: any) => unknown} clear
 * @property {(timer: any, delay: number) => unknown} refresh  False if the timer of a number was no longer pending.
 * @property {(ms: number) => void} [advance]  If the wheel has the driver `manual`.
 */

import * as native from 'node:timers'

const ARGUMENT = { name: 'what a callback gets' }

/**
 * @param {string} contender  `native`, or `addon` or `wasm` with `handles` or `numbers`
 * @param {World} world
 * @param {boolean} manual  Whether `advance` moves the wheel.
 * @returns {Promise<WorldTimers>}
 */
export async function openTimers(contender, world, manual) {
  if (contender === 'native') return handlesOf(native, world)
  const [backend, api] = contender.split('-')
  const entry = await (backend === 'addon' ? import('timeout-wheel/native') : import('timeout-wheel/wasm'))
  const { tick } = world
  if (api === 'handles' && tick === 'shared' && !manual) return handlesOf(entry, world)
  const wheel = new entry.TimerWheel({
    tick: tick === 'shared' ? 1 : tick,
    ...(manual ? { driver: 'manual' } : {}),
  })
  const timers = api === 'handles' ? handlesOf(wheel, world) : numbersOf(wheel, world)
  return manual ? { ...timers, advance: (ms) => wheel.advance(ms) } : timers
}

/**
 * @param {any} from  A module or a wheel.
 * @param {World} world
 * @returns {WorldTimers}
 */
function handlesOf(from, { argument, ref }) {
  const isModule = from.TimerWheel !== undefined || from === native
  const { setTimeout, clearTimeout } = from
  const kept = isModule ? setterOfModule(setTimeout, argument) : setterOfWheel(from, argument)
  return {
    set: ref ? kept : (fn, delay) => kept(fn, delay).unref(),
    clear: isModule ? (timer) => clearTimeout(timer) : (timer) => from.clearTimeout(timer),
    refresh: (timer) => timer.refresh(),
  }
}

/**
 * @param {any} setTimeout
 * @param {boolean} argument
 * @returns {WorldTimers['set']}
 */
const setterOfModule = (setTimeout, argument) =>
  argument ? (fn, delay) => setTimeout(fn, delay, ARGUMENT) : (fn, delay) => setTimeout(fn, delay)

/**
 * @param {any} wheel
 * @param {boolean} argument
 * @returns {WorldTimers['set']}
 */
const setterOfWheel = (wheel, argument) =>
  argument ? (fn, delay) => wheel.setTimeout(fn, delay, ARGUMENT) : (fn, delay) => wheel.setTimeout(fn, delay)

/**
 * @param {any} wheel
 * @param {World} world
 * @returns {WorldTimers}
 */
const numbersOf = (wheel, { argument }) => ({
  set: argument
    ? (fn, delay) => wheel.schedule(fn, delay, ARGUMENT)
    : (fn, delay) => wheel.schedule(fn, delay),
  clear: (id) => wheel.cancel(id),
  refresh: (id, delay) => wheel.reschedule(id, delay),
})
