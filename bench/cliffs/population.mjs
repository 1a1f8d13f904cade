/**
 * The works on the pending timers of one world. Time is taken from one turn of the event loop to the next, so that the work of a
 * driver between turns counts. Turns without an operation are timed too, and subtracted; `turn` of a sample is one of them.
 */
import { setImmediate } from 'node:timers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { collectGarbage } from '../runner/garbage.mjs'
import { cpuTime } from '../runner/inside.mjs'
import { summarize } from '../runner/statistics.mjs'
import { BATCH, delaysOf, nothing, orderOf, setFar } from './works.mjs'
import { isShort, windowOf } from './worlds.mjs'

/** Operations of a sample, unless a single turn has more. */
const OPERATIONS = 30_000
const MOST_TURNS = 5_000
const BLOCKS = 10

/** The time of blocks without operations. Garbage of other blocks may be collected in one of them, so the median is taken. */
const medianOf = (blocks) => summarize(blocks).median

function add(sum, more) {
  sum.clear += more.clear
  sum.set += more.set
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

  /** Whether timers of a short delay may soon be due. */
  #isStale() {
    return this.#isShort && performance.now() - this.#filled > this.#shortest / 3
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

  async replace() {
    const empty = []
    const full = { clear: 0, set: 0 }
    for (const turns of this.#blocks()) {
      const { clear, set } = await this.#replaceIn(turns, 0)
      empty.push((clear + set) / (2 * turns))
      if (this.#isStale()) await this.#fill()
      add(full, await this.#replaceIn(turns, this.#turn))
    }
    const turn = medianOf(empty)
    return {
      clear: this.#perOperation(full.clear, turn),
      set: this.#perOperation(full.set, turn),
      turn: turn * 1e3,
    }
  }

  #perOperation(elapsed, turn) {
    return ((elapsed - turn * this.#turns) * 1e3) / (this.#turns * this.#turn)
  }

  /** Blocks of turns, alternately with and without operations, so that a slow spell of the machine affects both. */
  #blocks() {
    const fills = this.#isShort ? Math.floor(OPERATIONS / this.#pending.length) : BLOCKS
    const count = Math.min(this.#turns, BLOCKS, Math.max(1, fills))
    return Array.from(
      { length: count },
      (_, i) => Math.floor(((i + 1) * this.#turns) / count) - Math.floor((i * this.#turns) / count),
    )
  }

  /** Clears timers in one turn, and sets others in their place in the next. */
  async #replaceIn(turns, size) {
    await nextTurn()
    return new Promise((resolve) => {
      const elapsed = { clear: 0, set: 0 }
      let left = turns
      let start = 0
      let begin = this.#at
      const setThem = () => {
        const now = cpuTime()
        elapsed.clear += now - start
        start = now
        this.#at = begin
        this.#set(size)
        setImmediate(clearThem)
      }
      const clearThem = () => {
        const now = cpuTime()
        elapsed.set += now - start
        if (left-- === 0) return resolve(elapsed)
        start = now
        begin = this.#at
        this.#clear(size)
        setImmediate(setThem)
      }
      start = cpuTime()
      clearThem()
    })
  }

  #clear(size) {
    const { clear } = this.#timers
    const pending = this.#pending
    const order = this.#order
    let at = this.#at
    for (let i = 0; i < size; i++) {
      clear(pending[order[at]])
      at = at + 1 === order.length ? 0 : at + 1
    }
    this.#at = at
  }

  #set(size) {
    const { set } = this.#timers
    const pending = this.#pending
    const order = this.#order
    const delays = this.#delays
    let at = this.#at
    for (let i = 0; i < size; i++) {
      const chosen = order[at]
      pending[chosen] = set(nothing, delays[chosen])
      at = at + 1 === order.length ? 0 : at + 1
    }
    this.#at = at
  }

  async refresh() {
    const empty = []
    let full = 0
    // The first refresh of a timer may cost more than the following ones.
    if (!this.#isRefreshed) await this.#refreshAll()
    let lostInTime = 0
    for (const turns of this.#blocks()) {
      empty.push((await this.#refreshIn(turns, 0)) / turns)
      if (this.#isStale()) await this.#refreshAll()
      const lost = this.#lost
      full += await this.#refreshIn(turns, this.#turn)
      lostInTime += this.#lost - lost
    }
    // The timer of a lost number has fired: rescheduling it does nothing and costs less.
    if (lostInTime * 20 > this.#turns * this.#turn) return {}
    return { refresh: this.#perOperation(full, medianOf(empty)) }
  }

  async #refreshAll() {
    const { length } = this.#pending
    for (let done = 0; done < length; done += BATCH) {
      this.#refresh(Math.min(BATCH, length - done))
      if (!this.#isShort) await nextTurn()
    }
    this.#isRefreshed = true
    this.#filled = performance.now()
  }

  async #refreshIn(turns, size) {
    await nextTurn()
    return new Promise((resolve) => {
      let left = turns
      const start = cpuTime()
      const refreshThem = () => {
        if (left-- === 0) return resolve(cpuTime() - start)
        this.#refresh(size)
        setImmediate(refreshThem)
      }
      refreshThem()
    })
  }

  #refresh(size) {
    const { refresh, set } = this.#timers
    const pending = this.#pending
    const order = this.#order
    const delays = this.#delays
    let at = this.#at
    for (let i = 0; i < size; i++) {
      const chosen = order[at]
      if (refresh(pending[chosen], delays[chosen]) === false) {
        this.#lost++
        pending[chosen] = set(nothing, delays[chosen])
      }
      at = at + 1 === order.length ? 0 : at + 1
    }
    this.#at = at
  }
}
