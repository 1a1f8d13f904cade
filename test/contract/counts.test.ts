/**
 * The counts of `stats()` add up, whatever a program does: `scheduled` and the further runs of intervals are as many as `fired`,
 * `cancelled` and `pending` together. Random programs use every feature and are compared with a ledger after each step and in each
 * callback. The ledger does not know when the timer of a map ends: only that a map has one timer or none.
 */
import { expect, it } from '@jest/globals'
import type { TimeoutMap, TimerGroup } from 'timeout-wheel/native'
import { scaled } from '../scale.js'
import { type Backend, manualWheel, onEachBackend, type Wheel } from './backends.js'
import { expectSame, newSeed, type Random, randomFrom } from './random.js'

const PROGRAMS = scaled(20, 60)
const STEPS = 120
const THROWN = new Error('thrown by a callback')
const KINDS = ['id', 'timeout', 'interval', 'member', 'signal', 'aborted', 'promise'] as const

type Kind = (typeof KINDS)[number]

interface Timer {
  readonly kind: Kind
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

const isRefusal = (error: unknown): boolean => (error as { code?: string }).code === 'ERR_WHEEL_LIMIT'

class Program {
  readonly #random: Random
  readonly wheel: Wheel
  /** The counts of all timers but those of maps. The callbacks of maps count in `fired`. */
  readonly #ledger = { pending: 0, scheduled: 0, fired: 0, cancelled: 0, refreshed: 0 }
  readonly #timers: Timer[] = []
  readonly #groups: TimerGroup<{ timer: Timer }>[]
  readonly #maps: TimeoutMap<number, number>[]
  readonly #maxPending: number
  #ofMaps = 0
  /** Whether a map calls `onExpire`: its timer then keeps its place. */
  #isMapRunning = false
  isStopped = false

  constructor(backend: Backend, random: Random) {
    this.#random = random
    const maxPending = random.below(3) === 0 ? 2 + random.below(12) : Number.POSITIVE_INFINITY
    this.#maxPending = maxPending
    this.wheel = manualWheel(backend, { tick: random.below(4) === 0 ? 7 : 1, maxPending })
    this.#groups = [20, 300].map((delay) => this.wheel.group(({ timer }) => this.#run(timer), delay))
    const { wheel } = this
    const onExpire = () => this.#runOfMap()
    const maps = [
      new backend.TimeoutMap<number, number>({ ttl: 30, wheel, onExpire }),
      new backend.TimeoutMap<number, number>({ ttl: 200, wheel }),
      new backend.TimeoutMap<number, number>({ ttl: 60, max: 5, refreshOnGet: true, wheel, onExpire }),
    ]
    // Without maps, the ledger knows every count.
    this.#maps = random.below(2) === 0 ? maps : []
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
    const counts = countsOf(this.wheel)
    const { pending, scheduled, fired, cancelled, refreshed } = this.#ledger
    const mapTimers = counts.pending - pending
    const ofMaps = counts.scheduled - scheduled
    expectSame(counts.pending, this.wheel.pending)
    expectSame(counts.pending <= this.#maxPending, true)
    expectSame(counts.fired, fired)
    expectSame(counts.refreshed, refreshed)
    expectSame(ofMaps - (counts.cancelled - cancelled), mapTimers)
    expectSame(mapTimers >= 0 && mapTimers <= this.#maps.length, true)
    expectSame(ofMaps >= this.#ofMaps, true)
    if (this.#maps.length === 0) expectSame(ofMaps, 0)
    this.#ofMaps = ofMaps
  }

  stop(): void {
    this.wheel.stop()
    this.isStopped = true
    this.#endAll()
    this.check()
  }

  #clearAll(): void {
    const { pending } = this.wheel
    // The interval whose callback runs is cancelled too.
    const running = this.#timers.filter(({ state }) => state === 'running').length
    expect(this.wheel.clear()).toBe(pending + running)
    expect(this.wheel.pending).toBe(0)
    this.#ledger.cancelled += running
    for (const timer of this.#timers) if (timer.state !== 'over') timer.isCleared = true
    this.#endAll()
  }

  #endAll(): void {
    this.#ledger.cancelled += this.#ledger.pending
    this.#ledger.pending = 0
    for (const timer of this.#timers) timer.state = 'over'
  }

  #operate(choice: number): void {
    if (this.isStopped) return
    if (choice < 16) this.#set()
    else if (choice < 24) this.#refresh(this.#anyTimer())
    else if (choice < 30) this.#clear(this.#anyTimer())
    else if (choice < 31) this.#groups[this.#random.below(2)]!.delay = 1 + this.#random.below(400)
    else if (this.#maps.length > 0) this.#attempt(() => this.#useMap(this.#maps[this.#random.below(3)]!))
  }

  #useMap(map: TimeoutMap<number, number>): void {
    const random = this.#random
    const key = random.below(12)
    const choice = random.below(12)
    const ttl = [undefined, undefined, random.below(500), Number.POSITIVE_INFINITY][random.below(4)]
    if (choice < 6) map.set(key, choice, ttl)
    else if (choice < 7) map.get(key)
    else if (choice < 9) map.touch(key)
    else if (choice < 11) map.delete(key)
    else if (random.below(4) === 0) map.clear()
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
      if (!isRefusal(error)) throw error
      expect(countsOf(this.wheel)).toEqual(before)
      // An interval or a map keeps its place while its callback runs.
      const running = this.#timers.filter(({ state }) => state === 'running').length
      expect(before.pending + running + Number(this.#isMapRunning)).toBeGreaterThanOrEqual(this.#maxPending)
      return false
    }
  }

  #anyTimer(): Timer | undefined {
    return this.#timers[this.#random.below(this.#timers.length)]
  }

  #set(): void {
    const kind = KINDS[this.#random.below(KINDS.length)]!
    const delay = kind === 'interval' ? 1 + this.#random.below(2 ** 29) : this.#random.below(2 ** 31)
    const near = this.#random.below(3) === 0 ? delay : 1 + (delay % 50)
    const timer: Timer = { kind, state: 'pending', isCleared: false, refresh: () => {}, clear: () => {} }
    const { scheduled } = countsOf(this.wheel)
    if (!this.#attempt(() => this.#start(timer, near))) return
    // A refused promise does not throw.
    if (countsOf(this.wheel).scheduled === scheduled) return
    this.#timers.push(timer)
    this.#ledger.scheduled++
    this.#ledger.pending++
  }

  #start(timer: Timer, delay: number): void {
    const { wheel } = this
    const run = (): void => this.#run(timer)
    const controller = new AbortController()
    if (timer.kind === 'member') {
      const group = this.#groups[this.#random.below(2)]!
      const member = group.add({ timer })
      timer.refresh = () => void group.touch(member)
      timer.clear = () => group.delete(member)
    } else if (timer.kind === 'id') {
      const id = wheel.schedule(run, delay)
      timer.refresh = (ms = delay) => wheel.reschedule(id, ms)
      timer.clear = () => wheel.cancel(id)
    } else if (timer.kind === 'signal') {
      const signal = wheel.signal(delay)
      signal.addEventListener('abort', run)
      timer.refresh = (ms) => signal.refresh(ms)
      timer.clear = signal.clear
    } else if (timer.kind === 'promise') {
      this.#startPromise(timer, delay, controller)
    } else {
      const handle =
        timer.kind === 'interval'
          ? wheel.setInterval(run, delay)
          : timer.kind === 'aborted'
            ? wheel.setTimeout(run, { delay, signal: controller.signal })
            : wheel.setTimeout(run, delay)
      if (this.#random.below(4) === 0) handle.unref()
      timer.refresh = (ms) => handle.refresh(ms)
      timer.clear = () => (timer.kind === 'aborted' ? controller.abort() : wheel.clearTimeout(handle))
    }
  }

  #startPromise(timer: Timer, delay: number, controller: AbortController): void {
    // A promise that is fulfilled reads the property at once, and once more later.
    let run = (): void => this.#run(timer)
    const value = Object.defineProperty({}, 'then', {
      get() {
        run()
        run = () => {}
      },
    })
    const { signal } = controller
    this.wheel.promises.setTimeout(delay, value, { signal }).catch(() => {})
    timer.clear = () => controller.abort()
  }

  #refresh(timer: Timer | undefined): void {
    if (timer === undefined || timer.kind === 'promise') return
    const delay = this.#random.below(2) === 0 ? undefined : 1 + this.#random.below(100)
    if (!this.#attempt(() => timer.refresh(delay))) return
    const ledger = this.#ledger
    if (timer.state === 'pending' || timer.state === 'refreshed') ledger.refreshed++
    else if (['id', 'member', 'signal'].includes(timer.kind) || timer.isCleared) return
    else if (timer.state === 'running') {
      timer.state = 'refreshed'
      ledger.refreshed++
      ledger.pending++
    } else {
      timer.state = 'pending'
      ledger.scheduled++
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

  #run(timer: Timer): void {
    this.#ledger.fired++
    this.#ledger.pending--
    timer.state = timer.kind === 'interval' ? 'running' : 'over'
    try {
      this.check()
      this.#react(timer)
      this.check()
    } finally {
      if (timer.state === 'running') this.#ledger.pending++
      if (timer.state !== 'over' && timer.kind === 'interval') timer.state = 'pending'
    }
  }

  #runOfMap(): void {
    this.#ledger.fired++
    this.#isMapRunning = true
    try {
      this.check()
      this.#react(undefined)
      this.check()
    } finally {
      this.#isMapRunning = false
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
        program.wheel.stop()
        program.check()
      } catch (error) {
        throw new Error(`TIMEOUT_WHEEL_SEED=${seed + i} fails`, { cause: error })
      }
    }
  })
})
