/**
 * The work that needs no pending population: timers that fire. A sample is nanoseconds of CPU time per operation, because other
 * processes run while a million timers are measured.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { countdown, cpuOf, HOUR, nothing, setPending } from '../runner/inside.mjs'
import { randomNumbers, shuffledIndices } from '../runner/random.mjs'

/** Timers that are set between two turns when a population is filled. */
export const BATCH = 10_000

/** Distinct delays are from half of `longest` to `longest`. In ascending order, V8 would sometimes copy all lists of Node's timers. */
export function delaysOf({ delays }, count, longest) {
  if (delays === 'one') return new Float64Array(count).fill(longest)
  const order = shuffledIndices(count, randomNumbers(5))
  return Float64Array.from(order, (place) => Math.ceil(longest - (place * longest) / (2 * count)))
}

export const orderOf = ({ order }, count) =>
  order === 'in order'
    ? Uint32Array.from({ length: count }, (_, i) => i)
    : shuffledIndices(count, randomNumbers(1))

/** After so many calls the engine has compiled the code. */
const WARM = 20_000

/** Makes the engine compile the code for timers. It compiles on other threads, whose CPU time would count. */
export async function warmUp({ set, clear, refresh }) {
  const one = set(nothing, HOUR)
  for (let i = 0; i < WARM; i++) {
    clear(set(nothing, HOUR))
    refresh(one, HOUR)
    if (i % 1_000 === 999) await nextTurn()
  }
  clear(one)
  for (let round = 0; round < 3; round++) await fireAll(set, WARM, (i) => 1 + (i % 10))
}

/** Sets timers that stay pending: they are due after an hour or later. */
export async function setFar(timers, world, count) {
  if (count <= 0) return
  const delays = delaysOf(world, count, 2 * HOUR)
  let set = 0
  await setPending(timers, count, () => delays[set++])
}

/** Timers that fire in a sample, unless a single millisecond has more. */
const FIRED = 20_000
const MOST_MILLISECONDS = 100

/** Sets timers without a pause, and waits until all have run. Returns the CPU nanoseconds of each after the last was set. */
function fireAll(set, count, delayOf) {
  const { ran, finished } = countdown(count)
  for (let i = 0; i < count; i++) set(ran, delayOf(i))
  return cpuOf(count, () => finished)
}

/** In each millisecond `turn` timers are due. */
export async function fire({ set }, world) {
  const { delay, turn } = world
  const groups = Math.max(1, Math.min(MOST_MILLISECONDS, Math.ceil(FIRED / turn)))
  const count = groups * turn
  const order = orderOf(world, count)
  await nextTurn()
  return { fire: await fireAll(set, count, (i) => delay + Math.floor(order[i] / turn)) }
}
