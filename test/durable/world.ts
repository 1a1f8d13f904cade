/** Processes that share one store. Time is virtual and can be set, statements take time and fail, processes stop and die. */

import { DurableError } from '../../lib/durable/common/errors.js'
import type { Answer, Args, Method, Store } from '../../lib/durable/common/store.js'
import type { Clock } from '../../lib/durable/engine/clock.js'
import { Model } from './model.js'

/** A connection to the store, which makes one statement after the other. */
export interface Connection {
  call<M extends Method>(method: M, args: Args<M>): unknown
  hasNews(): boolean
  close(): void
}

export class World {
  readonly model = new Model()
  readonly processes = new Set<Process>()
  wall = 1.7e12
  mono = 0
  /** The share of statements that fail. */
  faults = 0
  /** The longest delay of a statement, and of its answer. */
  slowest = 400
  readonly #events = new Map<number, { time: number; process: Process | undefined; work: () => unknown }>()
  readonly clear = (id: number): unknown => this.#events.delete(id)
  #ids = 0
  #state: number

  constructor(seed: number) {
    this.#state = seed * 7_919
  }
  readonly now = (): number => Math.floor(this.wall)
  random(): number {
    this.#state = (this.#state * 48_271) % 0x7fffffff
    return this.#state / 0x7fffffff
  }
  int(below: number): number {
    return Math.floor(this.random() * below)
  }
  after(ms: number, process: Process | undefined, work: () => unknown): number {
    this.#events.set(++this.#ids, { time: this.mono + ms, process, work })
    return this.#ids
  }
  setClock(ms: number): void {
    this.wall += ms
  }
  async run(ms: number): Promise<void> {
    const end = this.mono + ms
    for (;;) {
      for (let i = 0; i < 3; i++) await new Promise(setImmediate)
      const events = [...this.#events].filter(([, { process }]) => !process?.isStopped)
      const first = events.sort((a, b) => a[1].time - b[1].time)[0]
      const time = Math.max(this.mono, Math.min(first?.[1].time ?? end, end))
      this.wall += time - this.mono
      this.mono = time
      if (first === undefined || first[1].time > end) return
      this.#events.delete(first[0])
      // Time stands still while a statement is made.
      if (!first[1].process?.isDead) await first[1].work()
    }
  }
}

/** A process, as its engine sees it: a clock, and a store. */
export class Process implements Clock {
  readonly store: Store
  isStopped = false
  isDead = false
  readonly look = 1_000
  readonly #world: World
  readonly #connection: Connection
  #sent = 0
  #isLooking = false
  #news: () => void = () => {}

  constructor(world: World, connection: Connection) {
    this.#world = world
    this.#connection = connection
    const onNews: Store['onNews'] = (callback) => {
      this.#news = callback
    }
    const call = (method: Method, args: Args<Method>) => this.#call(method, args)
    this.store = {
      now: this.now,
      least: this.now,
      onNews,
      close: async () => this.stop(),
      call: call as Store['call'],
    }
    world.processes.add(this)
  }
  readonly now = (): number => this.#world.now()
  readonly least = this.now
  readonly monotonic = (): number => this.#world.mono
  readonly after: Clock['after'] = (ms, callback) => this.#world.after(Math.max(1, ms), this, callback)
  readonly clear = (id: number): void => void this.#world.clear(id)

  stop(): void {
    if (this.isDead) return
    this.isDead = true
    this.#world.processes.delete(this)
    this.#connection.close()
  }
  /** As the worker thread does, but for the looks that see nothing. */
  #look(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.after(20, () => {
      this.#isLooking = false
      if (this.#connection.hasNews()) this.#news()
    })
  }
  /** Statements are done in order; answers come in any. */
  #call(method: Method, args: Args<Method>): Promise<unknown> {
    const world = this.#world
    const delay = (): number => (world.int(50) === 0 ? world.int(world.slowest) : world.int(4))
    const fault = world.random() < world.faults ? world.int(4) : undefined
    this.#sent = Math.max(this.#sent, world.mono + delay())
    return new Promise((resolve, reject) => {
      world.after(this.#sent - world.mono, this, async () => {
        let answer: unknown
        const make = async (): Promise<void> => {
          answer = await this.#connection.call(method, args)
          world.model.check(method, args, answer as Answer<Method>, this.now())
          for (const other of world.processes) other.#look()
        }
        if (fault === undefined || fault === 2) await make()
        // It comes to the store after its answer was given up.
        else if (fault === 3) world.after(world.int(1_000), this, make)
        const code = fault === 0 ? 'ERR_DURABLE_UNAVAILABLE' : 'ERR_DURABLE_DOUBT'
        world.after(delay(), this, () =>
          fault === undefined ? resolve(structuredClone(answer)) : reject(new DurableError(code, 'fault')),
        )
      })
    })
  }
}
