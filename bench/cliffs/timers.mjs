/** The timers of one world. A process uses only one shape of call, because the engine compiles code for those that it has seen. */
import native from 'node:timers'

const ARGUMENT = { name: 'what a callback gets' }

/** @param from a module, or a wheel */
const handlesOf = (from, { argument, ref }) => {
  const set = argument
    ? (fn, delay) => from.setTimeout(fn, delay, ARGUMENT)
    : (fn, delay) => from.setTimeout(fn, delay)
  return {
    set: ref ? set : (fn, delay) => set(fn, delay).unref(),
    clear: (timer) => from.clearTimeout(timer),
    refresh: (timer) => timer.refresh(),
  }
}

const numbersOf = (wheel, { argument }) => ({
  set: argument
    ? (fn, delay) => wheel.schedule(fn, delay, ARGUMENT)
    : (fn, delay) => wheel.schedule(fn, delay),
  clear: (id) => wheel.cancel(id),
  refresh: (id, delay) => wheel.reschedule(id, delay),
})

export async function openTimers(contender, world) {
  if (contender === 'native') return handlesOf(native, world)
  const [backend, api] = contender.split('-')
  const entry = await import(`timeout-wheel/${backend === 'addon' ? 'native' : 'wasm'}`)
  const { tick } = world
  if (api === 'handles' && tick === 'shared') return handlesOf(entry, world)
  const wheel = new entry.TimerWheel({ tick: tick === 'shared' ? 1 : tick })
  return api === 'handles' ? handlesOf(wheel, world) : numbersOf(wheel, world)
}
