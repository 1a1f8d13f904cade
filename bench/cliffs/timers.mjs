/**
 * The timers of one world, in the process that measures it. The process uses only one shape of call, because the engine compiles
 * code for the shapes that it has seen.
 */

import * as native from 'node:timers'

const ARGUMENT = { name: 'what a callback gets' }

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

const setterOfModule = (setTimeout, argument) =>
  argument ? (fn, delay) => setTimeout(fn, delay, ARGUMENT) : (fn, delay) => setTimeout(fn, delay)

const setterOfWheel = (wheel, argument) =>
  argument ? (fn, delay) => wheel.setTimeout(fn, delay, ARGUMENT) : (fn, delay) => wheel.setTimeout(fn, delay)

const numbersOf = (wheel, { argument }) => ({
  set: argument
    ? (fn, delay) => wheel.schedule(fn, delay, ARGUMENT)
    : (fn, delay) => wheel.schedule(fn, delay),
  clear: (id) => wheel.cancel(id),
  refresh: (id, delay) => wheel.reschedule(id, delay),
})
