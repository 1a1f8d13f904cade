/**
 * A world of processes that share one SQLite file: time is virtual and can be set, statements take time and fail, processes stop and die.
 * A model knows what each statement must do, and what follows from it.
 */
import { expect } from '@jest/globals'
import type { Clock } from '../../lib/durable/clock.js'
import { DurableError } from '../../lib/durable/errors.js'
import { Database } from '../../lib/durable/sqlite/database.js'
import * as stores from '../../lib/durable/store.js'

interface ModelRow extends Pick<stores.Row, 'due' | 'name' | 'key' | 'fence' | 'rule'> {
  owner: number
}

/** The rows and leases that there must be, and the attempts that there were. */
export class Model {
  readonly rows = new Map<number, ModelRow>()
  readonly leases = new Map<number, number>()
  /** Whether a timer that has been started may be started again. */
  readonly again = new Map<number, boolean>()
  readonly succeeded = new Set<number>()
  readonly mayCount = new Set<number>()

  lives(number: number, now: number): boolean {
    const until = this.leases.get(number) ?? 0
    return until > now && until <= now + stores.LONGEST_LEASE
  }

  started(id: number, due: number, attempt: number, now: number): void {
    expect(now).toBeGreaterThanOrEqual(due)
    if (this.again.get(id) === false) throw new Error(`${id} was started twice`)
    if (attempt > 1 && !this.again.has(id) && !this.mayCount.has(id)) throw new Error(`${id} counts too much`)
    this.again.set(id, false)
  }

  claim({ owner }: stores.Claim, { isAlive, rows }: stores.Claimed, now: number): void {
    expect(isAlive).toBe(this.lives(owner, now))
    for (const { id, fence } of rows) {
      const row = this.rows.get(id)!
      expect(this.lives(row.owner, now)).toBe(false)
      if (row.owner !== 0) {
        if (this.again.has(id)) this.again.set(id, true)
        const until = Math.abs(this.leases.get(row.owner) ?? now)
        if (row.due <= Math.min(until, now)) this.mayCount.add(id)
        this.leases.set(row.owner, -until)
      }
      Object.assign(row, { owner, fence })
    }
  }

  change(changes: readonly stores.Change[], answers: readonly stores.Changed[]): void {
    for (const [i, change] of changes.entries()) {
      const answer = answers[i]!
      if (change.kind === 'set' || change.kind === 'clear') {
        const { name, key } = change.kind === 'set' ? change.row : change
        const [present] = [...this.rows].find(([, row]) => key !== null && row.key === key && row.name === name) ?? []
        const isKept = change.kind === 'set' && change.row.ifExists === 'keep' && present !== undefined
        const isRefused = isKept && this.rows.get(present!)!.due < stores.FAILED
        expect(answer.removed).toBe(isRefused ? undefined : present)
        expect(answer.present?.id).toBe(isRefused ? present : undefined)
        if (answer.removed !== undefined) this.rows.delete(answer.removed)
        if (change.kind === 'set' && !isRefused) this.rows.set(answer.id!, { ...change.row, fence: 0 })
      } else if (change.kind === 'end') this.#end(change, answer)
      else if (answer.isDone) {
        this.again.set(change.id, true)
        Object.assign(this.rows.get(change.id)!, { due: change.due, owner: 0 })
      }
    }
  }

  #end({ own, next }: Extract<stores.Change, { kind: 'end' }>, { isDone, id }: stores.Changed): void {
    const row = this.rows.get(own.id)
    expect(isDone).toBe(row !== undefined && row.owner === own.owner && row.fence === own.fence)
    if (!isDone) return
    this.rows.delete(own.id)
    if (next !== undefined) {
      this.rows.set(id!, { ...row!, due: next.due, owner: next.owner, fence: own.fence + 1 })
      if (this.again.has(id!)) this.again.set(id!, true)
    } else if (row!.rule === null && !this.succeeded.has(own.id)) throw new Error(`${own.id} was lost`)
  }
}

interface Event {
  time: number
  process: Process | undefined
  work: () => void
}

export class World {
  readonly model = new Model()
  readonly processes = new Set<Process>()
  wall = 1.7e12
  mono = 0
  /** The share of statements that fail. */
  faults = 0
  readonly #events = new Map<number, Event>()
  #ids = 0
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  int(below: number): number {
    return Math.floor(this.random() * below)
  }

  after(ms: number, process: Process | undefined, work: () => void): number {
    this.#events.set(++this.#ids, { time: this.mono + ms, process, work })
    return this.#ids
  }

  clear(id: number): void {
    this.#events.delete(id)
  }

  /** Sets the clock. Processes notice it within a second. */
  step(ms: number): void {
    this.wall += ms
    for (const process of this.processes) this.after(this.int(1_000), process, () => process.stepped())
  }

  async run(ms: number): Promise<void> {
    const end = this.mono + ms
    for (;;) {
      let first: [number, Event] | undefined
      for (const entry of this.#events)
        if (!entry[1].process?.isStopped && (first === undefined || entry[1].time < first[1].time)) first = entry
      const time = Math.max(this.mono, Math.min(first?.[1].time ?? end, end))
      this.wall += time - this.mono
      this.mono = time
      if (first === undefined || first[1].time > end) return
      this.#events.delete(first[0])
      if (!first[1].process?.isDead) first[1].work()
      for (let i = 0; i < 3; i++) await new Promise(setImmediate)
    }
  }
}

/** A process, as its engine sees it: a clock and a store. */
export class Process implements Clock, stores.Store {
  isStopped = false
  isDead = false
  stepped: () => void = () => {}
  readonly world: World
  readonly #database: Database
  #sent = 0
  #isLooking = false
  #news: () => void = () => {}

  constructor(world: World, path: string) {
    this.world = world
    this.#database = new Database({ path, table: 'timers', now: this.now, longestLease: stores.LONGEST_LEASE })
    world.processes.add(this)
  }

  readonly now = (): number => Math.floor(this.world.wall)
  readonly monotonic = (): number => this.world.mono
  at = (time: number, callback: () => void): number => this.after(time - this.world.wall, callback)
  after = (ms: number, work: () => void): number => this.world.after(Math.max(1, ms), this, work)
  clear = (id: number): void => this.world.clear(id)
  onStep = (callback: () => void): void => void (this.stepped = callback)
  stop = (): void => this.die()
  onNews = (callback: () => void): void => void (this.#news = callback)

  die(): void {
    if (this.isDead) return
    this.isDead = true
    this.world.processes.delete(this)
    this.#database.close()
  }

  /** As the worker thread does, but for the looks that see nothing. */
  #look(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.world.after(20, this, () => {
      this.#isLooking = false
      if (this.#database.hasNews()) this.#news()
    })
  }

  /** Statements are done in order; answers come in any. */
  #call<T>(work: (database: Database) => T): Promise<T> {
    const { world } = this
    const delay = (): number => (world.int(50) === 0 ? world.int(400) : world.int(4))
    const fault = world.random() < world.faults ? world.int(3) : undefined
    this.#sent = Math.max(this.#sent, world.mono + delay())
    return new Promise((resolve, reject) => {
      world.after(this.#sent - world.mono, this, () => {
        const isDone = fault === undefined || fault === 2
        const value = isDone ? work(this.#database) : undefined
        for (const other of world.processes) other.#look()
        const code = fault === 0 ? 'ERR_DURABLE_UNAVAILABLE' : 'ERR_DURABLE_DOUBT'
        world.after(delay(), this, () =>
          fault === undefined ? resolve(structuredClone(value) as T) : reject(new DurableError(code, 'fault')),
        )
      })
    })
  }

  join = (lease: number, horizon: number) =>
    this.#call((database) => {
      const joined = database.join(lease, horizon)
      this.world.model.leases.set(joined.number, this.now() + lease)
      return joined
    })
  beat = (owner: number, lease: number) =>
    this.#call((database) => {
      const lives = this.world.model.lives(owner, this.now())
      const beat = database.beat(owner, lease)
      expect(beat.until !== undefined).toBe(lives)
      if (lives) this.world.model.leases.set(owner, beat.until!)
      return beat
    })
  claim = (claim: stores.Claim) =>
    this.#call((database) => {
      const claimed = database.claim(claim)
      this.world.model.claim(claim, claimed, this.now())
      return claimed
    })
  change = (owner: number, changes: readonly stores.Change[]) =>
    this.#call((database) => {
      const answers = database.change(owner, changes)
      this.world.model.change(changes, answers)
      return answers
    })
  keep = (owner: number, own: readonly Pick<stores.Row, 'id' | 'fence'>[]) =>
    this.#call((database) => {
      const lost = database.keep(owner, own)
      const { rows } = this.world.model
      for (const [id, row] of rows)
        if (row.owner === owner && own.every((one) => one.id !== id || one.fence !== row.fence))
          Object.assign(row, { owner: 0, fence: row.fence + 1 })
      expect(lost).toEqual(own.map(({ id }) => id).filter((id) => rows.get(id)?.owner !== owner))
      return lost
    })
  leave = (owner: number) =>
    this.#call((database) => {
      this.world.model.leases.delete(owner)
      return database.leave(owner)
    })
  news = (owner: number) => this.#call((database) => database.news(owner))
  get = (name: string, key: string) => this.#call((database) => database.get(name, key))
  page = (low: stores.Place, before: number, name?: string) =>
    this.#call((database) => database.page(low, before, name))
  count = (low: stores.Place, before: number) => this.#call((database) => database.count(low, before))
  forget = (before: number) => this.#call((database) => database.forget(before))
  close = () => Promise.resolve(this.die())
}
