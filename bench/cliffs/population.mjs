/**
 * The works on the pending timers of one world. Time is taken from one turn of the event loop to the next, so that the work of a
 * driver between turns counts. Turns without an operation are timed too, and subtracted.
 */
import { setImmediate } from 'node:timers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { collectGarbage } from '../runner/garbage.mjs'
import { cpuTime } from '../runner/inside.mjs'
import { summarize } from '../runner/statistics.mjs'
import { nothing } from '../runner/turns.mjs'
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

/** The work on pending timers. None of them fires. */
export class Population {
  #timers
  #pending
  #delays
  #order
  #turn
  #turns
  #isShort
  #shortest
  /** When all timers were last set. */
  #filled = 0
  /** The place in the order at which the next turn begins. */
  #at = 0
  #isRefreshed = false
  /** Numbers whose timers fired before they were rescheduled. */
  #lost = 0

  constructor(timers, world) {
    const count = windowOf(world)
    this.#timers = timers
    this.#pending = new Array(count)
    this.#delays = delaysOf(world, count, world.delay)
    this.#order = orderOf(world, count)
    this.#turn = world.turn
    this.#turns = Math.max(1, Math.min(MOST_TURNS, Math.ceil(OPERATIONS / world.turn)))
    this.#isShort = isShort(world.delay)
    this.#shortest = world.delays === 'one' ? world.delay : world.delay / 2
  }

  static async make(timers, world) {
    const population = new Population(timers, world)
    await setFar(timers, world, world.pending - windowOf(world))
    await population.#fill()
    collectGarbage()
    return population
  }

  async #fill() {
    const pending = this.#pending
    for (let i = 0; i < pending.length; i++) {
      if (pending[i] !== undefined) this.#timers.clear(pending[i])
      pending[i] = this.#timers.set(nothing, this.#delays[i])
      if (!this.#isShort && i % BATCH === BATCH - 1) await nextTurn()
    }
    this.#filled = performance.now()
  }

  /** Blocks of turns, alternately with and without operations, so that a slow spell of the machine affects both. */
  #blocks() {
    const fills = this.#isShort ? Math.floor(OPERATIONS / this.#pending.length) : BLOCKS
    const count = Math.min(this.#turns, BLOCKS, Math.max(1, fills))
    const end = (i) => Math.floor((i * this.#turns) / count)
    return Array.from({ length: count }, (_, i) => end(i + 1) - end(i))
  }

  /** Nanoseconds of an operation in each of the phases. `renew` sets all timers anew before some of them are due. */
  async #measure(phases, renew) {
    const empty = []
    const full = phases.map(() => 0)
    for (const turns of this.#blocks()) {
      const idle = await timePhases(
        turns,
        phases.map(() => nothing),
      )
      empty.push(idle.reduce((sum, one) => sum + one) / (phases.length * turns))
      if (this.#isShort && performance.now() - this.#filled > this.#shortest / 3) await renew()
      const busy = await timePhases(turns, phases)
      for (const [i, one] of busy.entries()) full[i] += one
    }
    // Garbage of other blocks may be collected in one of those without operations, so the median is taken.
    const turn = summarize(empty).median
    return full.map((elapsed) => ((elapsed - turn * this.#turns) * 1e3) / (this.#turns * this.#turn))
  }

  /** Clears timers in one turn, and sets others in their place in the next. */
  async replace() {
    let begin = 0
    const clearSome = () => {
      begin = this.#at
      this.#clear(this.#turn)
    }
    const setSome = () => {
      this.#at = begin
      this.#set(this.#turn)
    }
    const [clear, set] = await this.#measure([clearSome, setSome], () => this.#fill())
    return { clear, set }
  }

  async refresh() {
    // The first refresh of a timer may cost more than the following ones.
    if (!this.#isRefreshed) await this.#refreshAll()
    const lost = this.#lost
    const [refresh] = await this.#measure([() => this.#refresh(this.#turn)], () => this.#refreshAll())
    // The timer of a lost number has fired: rescheduling it does nothing and costs less.
    return (this.#lost - lost) * 20 > this.#turns * this.#turn ? {} : { refresh }
  }

  async #refreshAll() {
    const { length } = this.#pending
    const lost = this.#lost
    for (let done = 0; done < length; done += BATCH) {
      this.#refresh(Math.min(BATCH, length - done))
      if (!this.#isShort) await nextTurn()
    }
    this.#lost = lost
    this.#isRefreshed = true
    this.#filled = performance.now()
  }

  // Three loops instead of one with a function, so that the engine can inline the call of each.
  #clear(size) {
    const { clear } = this.#timers
    const pending = this.#pending
    const order = this.#order
    for (let i = 0, at = this.#at; i < size; i++, at = this.#step(at)) clear(pending[order[at]])
    this.#move(size)
  }

  #set(size) {
    const { set } = this.#timers
    const pending = this.#pending
    const order = this.#order
    const delays = this.#delays
    for (let i = 0, at = this.#at; i < size; i++, at = this.#step(at)) {
      const chosen = order[at]
      pending[chosen] = set(nothing, delays[chosen])
    }
    this.#move(size)
  }

  #refresh(size) {
    const { refresh, set } = this.#timers
    const pending = this.#pending
    const order = this.#order
    const delays = this.#delays
    for (let i = 0, at = this.#at; i < size; i++, at = this.#step(at)) {
      const chosen = order[at]
      if (refresh(pending[chosen], delays[chosen]) !== false) continue
      this.#lost++
      pending[chosen] = set(nothing, delays[chosen])
    }
    this.#move(size)
  }

  #step(at) {
    return at + 1 === this.#order.length ? 0 : at + 1
  }

  #move(size) {
    this.#at = (this.#at + size) % this.#order.length
  }
}
