/** The timers of one world. A process uses only one shape of call, because the engine compiles code for those that it has seen. */
import native from 'node:timers'
import { handles, handlesOf, numbersOf } from '../contenders/wheel.mjs'

const ARGUMENT = { name: 'what a callback gets' }

async function timersOf(contender, tick) {
  if (contender === 'native') return handles(native)
  const [backend, api] = contender.split('-')
  const entry = await import(`timeout-wheel/${backend === 'addon' ? 'native' : 'wasm'}`)
  if (api === 'handles' && tick === 'shared') return handles(entry)
  const wheel = new entry.TimerWheel({ tick: tick === 'shared' ? 1 : tick })
  return api === 'handles' ? handlesOf(wheel) : numbersOf(wheel)
}

export async function openTimers(contender, { tick, argument, ref }) {
  const { set, setWith, clear, refresh } = await timersOf(contender, tick)
  const setOne = argument ? (fn, delay) => setWith(fn, delay, ARGUMENT) : set
  return { set: ref ? setOne : (fn, delay) => setOne(fn, delay).unref(), clear, refresh }
}
