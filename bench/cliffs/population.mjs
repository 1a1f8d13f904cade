/**
 * The works on the pending timers of one world. Whole turns of the event loop are timed, because a driver works between operations too.
 * Turns without an operation are subtracted.
 */
import { setImmediate } from 'node:timers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { collectGarbage, cpuTime, nothing } from '../runner/inside.mjs'
import { summarize } from '../runner/statistics.mjs'
import { BATCH, delaysOf, orderOf, setFar } from './works.mjs'
import { isShort, windowOf } from './worlds.mjs'

/** Operations of a sample, unless a single turn has more. */
const OPERATIONS = 30_000
const MOST_TURNS = 5_000
const BLOCKS = 10

/** Runs the phases one after the other, each in a turn of its own. Returns the CPU microseconds of each. */
async function timePhases(turns, phases) {
  await nextTurn()
  const elapsed = phases.map(() => 0)
  return new Promise((resolve) => {
    let done = -1
    let start = cpuTime()
    const next = () => {
      const now = cpuTime()
      if (done >= 0) elapsed[done % phases.length] += now - start
      if (++done === turns * phases.length) return resolve(elapsed)
      start = now
      phases[done % phases.length]()
      setImmediate(next)
    }
    next()
  })
}

/** Makes pending timers. The works on them, of which none fires, are functions of the result. */
export async function makePopulation(timers, world) {
  const { set, clear, refresh } = timers
  const count = windowOf(world)
  const pending = new Array(count)
  const delays = delaysOf(world, count, world.delay)
  const order = orderOf(world, count)
  const size = world.turn
  const turns = Math.max(1, Math.min(MOST_TURNS, Math.ceil(OPERATIONS / size)))
  const areShort = isShort(world.delay)
  const shortest = world.delays === 'one' ? world.delay : world.delay / 2
  /** When all timers were last set. */
  let filled = 0
  /** The place in the order at which the next turn begins. */
  let place = 0
  let isRefreshed = false
  /** Numbers whose timers fired before they were rescheduled. */
  let lost = 0

  async function fill() {
    for (let i = 0; i < count; i++) {
      if (pending[i] !== undefined) clear(pending[i])
      pending[i] = set(nothing, delays[i])
      if (!areShort && i % BATCH === BATCH - 1) await nextTurn()
    }
    filled = performance.now()
  }

  const step = (at) => (at + 1 === count ? 0 : at + 1)

  // Three loops instead of one with a function, so that the engine can inline the call of each.
  function clearSome() {
    for (let i = 0, at = place; i < size; i++, at = step(at)) clear(pending[order[at]])
  }

  function setSome() {
    for (let i = 0; i < size; i++, place = step(place)) {
      const chosen = order[place]
      pending[chosen] = set(nothing, delays[chosen])
    }
  }

  function refreshSome(some = size) {
    for (let i = 0; i < some; i++, place = step(place)) {
      const chosen = order[place]
      if (refresh(pending[chosen], delays[chosen]) !== false) continue
      lost++
      pending[chosen] = set(nothing, delays[chosen])
    }
  }

  async function refreshAll() {
    const before = lost
    for (let done = 0; done < count; done += BATCH) {
      refreshSome(Math.min(BATCH, count - done))
      if (!areShort) await nextTurn()
    }
    lost = before
    isRefreshed = true
    filled = performance.now()
  }

  /** Blocks of turns, alternately with and without operations, so that a slow spell of the machine affects both. */
  function blocks() {
    const fills = areShort ? Math.floor(OPERATIONS / count) : BLOCKS
    const some = Math.min(turns, BLOCKS, Math.max(1, fills))
    const end = (i) => Math.floor((i * turns) / some)
    return Array.from({ length: some }, (_, i) => end(i + 1) - end(i))
  }

  /** Nanoseconds of an operation in each of the phases. `renew` sets all timers anew before some of them are due. */
  async function measure(phases, renew) {
    const without = phases.map(() => nothing)
    const empty = []
    const full = phases.map(() => 0)
    for (const some of blocks()) {
      const idle = await timePhases(some, without)
      empty.push(idle.reduce((sum, one) => sum + one) / (phases.length * some))
      if (areShort && performance.now() - filled > shortest / 3) await renew()
      const busy = await timePhases(some, phases)
      for (const [i, one] of busy.entries()) full[i] += one
    }
    // Garbage of other blocks may be collected in one of those without operations, so the median is taken.
    const turn = summarize(empty).median
    return full.map((elapsed) => ((elapsed - turn * turns) * 1e3) / (turns * size))
  }

  await setFar(timers, world, world.pending - count)
  await fill()
  collectGarbage()
  return {
    /** Clears timers in one turn, and sets others in their place in the next. */
    async replace() {
      const [clear, set] = await measure([clearSome, setSome], fill)
      return { clear, set }
    },

    async refresh() {
      // The first refresh of a timer may cost more than the following ones.
      if (!isRefreshed) await refreshAll()
      const before = lost
      const [figure] = await measure([() => refreshSome()], refreshAll)
      // The timer of a lost number has fired: rescheduling it does nothing and costs less.
      return (lost - before) * 20 > turns * size ? {} : { refresh: figure }
    },
  }
}
