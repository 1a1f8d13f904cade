/**
 * The counts of `stats()` add up, whatever a program does: `scheduled` and the further runs of intervals are as many as `fired`,
 * `cancelled` and `pending` together. Random programs use every feature and are compared with a ledger after each step and in each
 * callback. The ledger does not know when the timer of a map ends: only that a map has one timer or none.
 */
import { expect, it } from '@jest/globals'
import type { TimeoutMap, TimerGroup } from 'timeout-wheel/native'
import { scaled } from '../scale.js'
import { type Backend, manualWheel, onEachBackend, type Wheel } from './backends.js'
import { newSeed, type Random, randomFrom } from './random.js'

const PROGRAMS = scaled(20, 60)
const STEPS = 120
const THROWN = new Error('thrown by a callback')
const KINDS = ['id', 'timeout', 'interval', 'member', 'signal', 'aborted', 'promise'] as const

interface Timer {
  readonly kind: (typeof KINDS)[number]
  /** `refreshed`: an interval whose own callback has refreshed it. */
  state: 'pending' | 'running' | 'refreshed' | 'over'
  isCleared: boolean
  refresh(delay?: number): void
  clear(): void
}

const countsOf = (wheel: Wheel) => {
  const { pending, scheduled, fired, cancelled, refreshed } = wheel.stats()
  return { pending, scheduled, fired, cancelled, refreshed }
}

class Program {
  readonly wheel: Wheel
  isStopped = false
  readonly #random: Random
  /** The counts of all timers but those of maps. The callbacks of maps count in `fired`. */
  readonly #ledger = { pending: 0, scheduled: 0, fired: 0, cancelled: 0, refreshed: 0 }
  readonly #timers: Timer[] = []
  readonly #groups: TimerGroup<{ timer: Timer }>[]
  readonly #maps: TimeoutMap<number, number>[] = []
  readonly #maxPending: number
  #setByMaps = 0
  /** Whether a map calls `onExpire`: its timer then keeps its place. */
  #isMapRunning = false

  constructor(backend: Backend, random: Random) {
    this.#random = random
    this.#maxPending = random.below(3) === 0 ? 2 + random.below(12) : Number.POSITIVE_INFINITY
    const wheel = manualWheel(backend, { tick: random.below(4) === 0 ? 7 : 1, maxPending: this.#maxPending })
    this.wheel = wheel
    this.#groups = [20, 300].map((delay) => wheel.group(({ timer }) => this.#run(timer), delay))
    // Without maps, the ledger knows every count.
    if (random.below(2) === 0) return
    const onExpire = (): void => this.#run()
    for (const options of [
      { ttl: 30, onExpire },
      { ttl: 200 },
      { ttl: 60, max: 5, refreshOnGet: true, onExpire },
    ]) {
      this.#maps.push(new backend.TimeoutMap({ ...options, wheel }))
    }
  }

  step(): void {
    const choice = this.#random.below(60)
    if (choice < 46) this.#operate(choice)
    else if (choice < 47) this.wheel.trim()
    else if (choice < 48 && this.#random.below(8) === 0) this.#clearAll()
    else this.#advance()
    this.check()
  }

  check(): void {
    const ledger = this.#ledger
    const counts = countsOf(this.wheel)
    const timersOfMaps = counts.pending - ledger.pending
    const setByMaps = counts.scheduled - ledger.scheduled
    const areRight =
      counts.pending === this.wheel.pending &&
      counts.pending <= this.#maxPending &&
      counts.fired === ledger.fired &&
      counts.refreshed === ledger.refreshed &&
      counts.cancelled === ledger.cancelled + setByMaps - timersOfMaps
    const isRightOfMaps = this.#maps.length === 0 ? setByMaps === 0 : setByMaps >= this.#setByMaps
    if (!areRight || !isRightOfMaps || timersOfMaps < 0 || timersOfMaps > this.#maps.length) {
      throw new Error(
        `${JSON.stringify(counts)} does not fit to ${JSON.stringify(ledger)}, ${this.#maps.length} maps`,
      )
    }
    this.#setByMaps = setByMaps
  }

  stop(): void {
    this.wheel.stop()
    this.isStopped = true
    this.#endAll()
    this.check()
  }

  /** The number of intervals whose callbacks run and have not refreshed them. They are not pending, but have their places. */
  #running(): number {
    return this.#timers.filter(({ state }) => state === 'running').length
  }

  #clearAll(): void {
    const { pending } = this.wheel
    const running = this.#running()
    expect([this.wheel.clear(), this.wheel.pending]).toEqual([pending + running, 0])
    this.#ledger.cancelled += running
    for (const timer of this.#timers) timer.isCleared ||= timer.state !== 'over'
    this.#endAll()
  }

  #endAll(): void {
    this.#ledger.cancelled += this.#ledger.pending
    this.#ledger.pending = 0
    for (const timer of this.#timers) timer.state = 'over'
  }

  #operate(choice: number): void {
    const random = this.#random
    const timer = this.#timers[random.below(this.#timers.length)]
    if (this.isStopped) return
    if (choice < 16) this.#set()
    else if (choice < 24) this.#refresh(timer)
    else if (choice < 30) this.#clear(timer)
    else if (choice < 31) this.#groups[random.below(2)]!.delay = 1 + random.below(400)
    else if (this.#maps.length > 0) this.#attempt(() => this.#useMap(this.#maps[random.below(3)]!))
  }

  #useMap(map: TimeoutMap<number, number>): void {
    const { below } = this.#random
    const [key, choice] = [below(12), below(12)]
    if (choice < 6)
      map.set(key, choice, [undefined, undefined, below(500), Number.POSITIVE_INFINITY][below(4)])
    else if (choice < 7) map.get(key)
    else if (choice < 9) map.touch(key)
    else if (choice < 11) map.delete(key)
    else if (below(4) === 0) map.clear()
  }

  /** Advances until no callback throws. */
  #advance(): void {
    for (let left = this.#random.below(2 ** [4, 8, 14, 31][this.#random.below(4)]!); ; left = 0) {
      try {
        this.wheel.advance(left)
        return
      } catch (error) {
        expect(error).toBe(THROWN)
        this.check()
      }
    }
  }

  /** Returns whether the wheel took the operation. If it refused it, nothing has changed. */
  #attempt(operate: () => unknown): boolean {
    const before = countsOf(this.wheel)
    try {
      operate()
      return true
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_WHEEL_LIMIT') throw error
      expect(countsOf(this.wheel)).toEqual(before)
      const places = before.pending + this.#running() + Number(this.#isMapRunning)
      expect(places).toBeGreaterThanOrEqual(this.#maxPending)
      return false
    }
  }

  #set(): void {
    const { below } = this.#random
    const kind = KINDS[below(KINDS.length)]!
    const delay = kind === 'interval' ? 1 + below(2 ** 29) : below(2 ** 31)
    const timer: Timer = { kind, state: 'pending', isCleared: false, refresh: () => {}, clear: () => {} }
    const { scheduled } = countsOf(this.wheel)
    if (!this.#attempt(() => this.#start(timer, below(3) === 0 ? delay : 1 + (delay % 50)))) return
    // A refused promise does not throw.
    if (countsOf(this.wheel).scheduled === scheduled) return
    this.#timers.push(timer)
    this.#ledger.scheduled++
    this.#ledger.pending++
  }

  #start(timer: Timer, delay: number): void {
    const { wheel } = this
    const { kind } = timer
    const controller = new AbortController()
    const run = (): void => this.#run(timer)
    if (kind === 'member') {
      const group = this.#groups[this.#random.below(2)]!
      const member = group.add({ timer })
      timer.refresh = () => group.touch(member)
      timer.clear = () => group.delete(member)
    } else if (kind === 'id') {
      const id = wheel.schedule(run, delay)
      timer.refresh = (ms = delay) => wheel.reschedule(id, ms)
      timer.clear = () => wheel.cancel(id)
    } else if (kind === 'signal') {
      const signal = wheel.signal(delay)
      signal.addEventListener('abort', run)
      timer.refresh = (ms) => signal.refresh(ms)
      timer.clear = signal.clear
    } else if (kind === 'promise') {
      // A promise that is fulfilled reads the property at once, and once more later.
      let isRead = false
      const get = (): void => {
        if (!isRead) run()
        isRead = true
      }
      const value = Object.defineProperty({}, 'then', { get })
      wheel.promises.setTimeout(delay, value, { signal: controller.signal }).catch(() => {})
      timer.clear = () => controller.abort()
    } else {
      const options = kind === 'aborted' ? { delay, signal: controller.signal } : delay
      const handle =
        kind === 'interval' ? wheel.setInterval(run, delay) : wheel.setTimeout(run, options as number)
      if (this.#random.below(4) === 0) handle.unref()
      timer.refresh = (ms) => handle.refresh(ms)
      timer.clear = () => (kind === 'aborted' ? controller.abort() : wheel.clearTimeout(handle))
    }
  }

  #refresh(timer: Timer | undefined): void {
    if (timer === undefined || timer.kind === 'promise') return
    const delay = this.#random.below(2) === 0 ? undefined : 1 + this.#random.below(100)
    if (!this.#attempt(() => timer.refresh(delay))) return
    const ledger = this.#ledger
    const { state } = timer
    if (state === 'pending' || state === 'refreshed') ledger.refreshed++
    else if (!['id', 'member', 'signal'].includes(timer.kind) && !timer.isCleared) {
      timer.state = state === 'running' ? 'refreshed' : 'pending'
      ledger[state === 'running' ? 'refreshed' : 'scheduled']++
      ledger.pending++
    }
  }

  #clear(timer: Timer | undefined): void {
    // The signal of a timer that has run is of no use any more.
    if (timer === undefined || (timer.kind === 'aborted' && timer.state === 'over')) return
    timer.clear()
    if (timer.state !== 'over') this.#ledger.cancelled++
    if (timer.state === 'pending' || timer.state === 'refreshed') this.#ledger.pending--
    timer.state = 'over'
    timer.isCleared = true
  }

  /** @param timer undefined: a map calls `onExpire` */
  #run(timer?: Timer): void {
    this.#ledger.fired++
    this.#isMapRunning = timer === undefined
    if (timer !== undefined) {
      this.#ledger.pending--
      timer.state = timer.kind === 'interval' ? 'running' : 'over'
    }
    try {
      this.check()
      this.#react(timer)
      this.check()
    } finally {
      this.#isMapRunning = false
      if (timer?.state === 'running') this.#ledger.pending++
      if (timer?.kind === 'interval' && timer.state !== 'over') timer.state = 'pending'
    }
  }

  /** What a callback does. Intervals are often cleared, because time passes in large steps. */
  #react(timer: Timer | undefined): void {
    const choice = this.#random.below(12)
    if (timer?.kind === 'interval' && choice < 6) this.#clear(timer)
    else if (choice < 4) this.#refresh(timer)
    if (choice % 3 === 0) this.#operate(this.#random.below(46))
    if (choice === 7 && this.#random.below(20) === 0) this.#clearAll()
    else if (choice === 7 && this.#random.below(40) === 0) this.stop()
    // The errors of listeners, and of what a promise calls, do not reach `advance`.
    if (choice % 5 === 0 && timer?.kind !== 'signal' && timer?.kind !== 'promise') throw THROWN
  }
}

onEachBackend((backend) => {
  const seed = newSeed()

  it(`add up in ${PROGRAMS} random programs, seed ${seed}`, async () => {
    for (let i = 0; i < PROGRAMS; i++) {
      const program = new Program(backend, randomFrom(seed + i))
      try {
        for (let step = 0; step < STEPS && !program.isStopped; step++) {
          program.step()
          // The promises that have settled let go of their signals.
          if (step % 8 === 0) await null
        }
        program.stop()
      } catch (error) {
        throw new Error(`TIMEOUT_WHEEL_SEED=${seed + i} fails`, { cause: error })
      }
    }
  })
})
