/**
 * The engine of an open store. The database is the outermost level of the wheel: the engine claims what is due within its horizon,
 * holds it on the wheel, runs it, and acknowledges it.
 *
 * A timer that is held is owned by this process in the database, and its row cannot be claimed by another while the lease lasts. After
 * that, others may run it. So nothing is started without a lease, and what was held under a lapsed lease is forgotten.
 */
import { clearTimeout, setTimeout, type Timeout } from 'timeout-wheel'
import { Changes } from './changes.js'
import type { Clock } from './clock.js'
import { closedStore, DurableError, errorOf } from './errors.js'
import type { Attempt, Handler } from './handler.js'
import { afterRun, isLeftOut, type Rule } from './rule.js'
import { type Change, type Changed, FAILED, type Row, type SetRow, type Store } from './store.js'

/** Between two looks at the notes of other processes, in milliseconds, while there are others. */
const NEWS_INTERVAL = 20
/** The most rows of a claim: it must not keep the thread of the database busy. */
const CLAIMED = 1_000
/** Between two tries of a statement in the background, in milliseconds. */
const FIRST_WAIT = 100
const LONGEST_WAIT = 5_000
const MINUTE = 60_000

export interface EngineOptions {
  lease: number
  horizon: number
  maxHeld: number
  retention: number
  isManual: boolean
  onError: (error: Error) => void
}

const keyOf = ({ name, key }: Pick<Row, 'name' | 'key'>): string | undefined =>
  key === null ? undefined : `${name}\0${key}`

export class Engine {
  readonly counts = { ran: 0, failures: 0, claims: 0 }
  readonly #store: Store
  readonly #clock: Clock
  readonly #options: EngineOptions
  readonly #handlers = new Map<string, Handler>()
  /** All timers that this process owns, by id and by key: those that wait, and those that run. */
  readonly #held = new Map<number, Attempt>()
  readonly #byKey = new Map<string, Attempt>()
  readonly #changes: Changes
  /** The number of this process. A new one after each lapse of the lease. */
  #owner = 0
  #ids = 0
  /** When the lease ends: on the database's clock, and on one that cannot be set. */
  #leaseEnd = { time: 0, monotonic: 0 }
  #lapsing: Promise<void> | undefined
  #others = 0
  /** Claims look for rows after this one. */
  #low: [due: number, id: number] = [-1, 0]
  #claimTimer: number | undefined
  #isClaiming = false
  #claimsAgain = false
  #isClosing = false
  #isClosed = false
  #forgotten = 0

  constructor(store: Store, clock: Clock, options: EngineOptions) {
    this.#store = store
    this.#clock = clock
    this.#options = options
    this.#changes = new Changes((changes) => store.change(this.#owner, changes))
  }

  async start(): Promise<void> {
    await this.#join()
    this.#clock.onStep(() => this.#planAgain())
    if (this.#options.isManual) return
    this.#every(this.#options.lease / 3, () => this.#beat())
    this.#every(NEWS_INTERVAL, () => (this.#others > 0 ? this.readNews() : undefined))
  }

  // ---- timers -------------------------------------------------------------------------------------------------------

  now(): number {
    return this.#clock.now()
  }

  get held(): number {
    return this.#held.size - this.running
  }

  get running(): number {
    let running = 0
    for (const handler of this.#handlers.values()) running += handler.running
    return running
  }

  newId(): number {
    return this.#owner * 2 ** 32 + ++this.#ids
  }

  async set(row: Omit<SetRow, 'id' | 'owner' | 'isSoon'>): Promise<Changed> {
    const owner = this.#holds(row.name, row.due) ? this.#owner : 0
    const set: SetRow = { ...row, id: this.newId(), owner, isSoon: this.#isSoon(row.due) }
    const changed = await this.#change({ kind: 'set', row: set })
    if (changed.isDone) {
      this.#drop(this.#byKey.get(keyOf(row) ?? ''))
      if (owner === this.#owner) this.#hold(changed.row!)
      else this.#expect(row.due)
    }
    return changed
  }

  async clear(name: string, key: string): Promise<boolean> {
    const { isDone } = await this.#change({ kind: 'clear', name, key })
    this.#drop(this.#byKey.get(keyOf({ name, key })!))
    return isDone
  }

  async retry(id: number): Promise<boolean> {
    const due = Math.floor(this.now())
    const { isDone } = await this.#change({ kind: 'retry', id, due })
    if (isDone) this.#expect(due)
    return isDone
  }

  #change(change: Change): Promise<Changed> {
    if (this.#isClosing) return Promise.reject(closedStore())
    return this.#changes.add(change)
  }

  /** Whether this process holds a timer that is set now. */
  #holds(name: string, due: number): boolean {
    return (
      !this.#isClosing &&
      this.#handlers.has(name) &&
      this.#held.size < this.#options.maxHeld &&
      due <= this.now() + this.#options.horizon &&
      this.#hasLease()
    )
  }

  #isSoon(due: number): boolean {
    return due <= this.now() + this.#options.horizon
  }

  // ---- lease --------------------------------------------------------------------------------------------------------

  async #join(): Promise<void> {
    this.#renewLease()
    const end = this.#leaseEnd
    this.#owner = await this.#store.join(this.#options.lease)
    this.#ids = 0
    this.#leaseEnd = end
  }

  /** Before the statement is sent: the lease in the database then ends no earlier. */
  #renewLease(): void {
    const { lease } = this.#options
    this.#leaseEnd = { time: this.now() + lease, monotonic: performance.now() + lease }
  }

  #hasLease(): boolean {
    if (this.#options.isManual) return true
    // By two clocks: one can be set, the other stops while the machine sleeps.
    return this.now() < this.#leaseEnd.time && performance.now() < this.#leaseEnd.monotonic
  }

  async #beat(): Promise<void> {
    if (!this.#hasLease()) return this.#lapse()
    const before = this.#leaseEnd
    this.#renewLease()
    const renewed = this.#leaseEnd
    this.#leaseEnd = before
    const { isAlive, others, hasDead } = await this.#store.beat(this.#owner, this.#options.lease)
    if (!isAlive) return this.#lapse()
    this.#leaseEnd = renewed
    this.#others = others
    // Not only those of the dead: rows that nobody holds can lie before the last claim.
    if (hasDead || others > 0) this.#expect(-1)
    const now = this.now()
    if (now - this.#forgotten < MINUTE) return
    this.#forgotten = now
    await this.#store.forget(now - this.#options.retention)
  }

  #lapse(): Promise<void> {
    this.#lapsing ??= this.#beginAnew().finally(() => {
      this.#lapsing = undefined
    })
    return this.#lapsing
  }

  /** Others may have taken over what this process owned. It forgets that. */
  async #beginAnew(): Promise<void> {
    const error = new DurableError(
      'ERR_DURABLE_LEASE',
      'the lease of this process has lapsed: its timers run elsewhere',
    )
    for (const attempt of this.#held.values()) this.#drop(attempt, error)
    this.#options.onError(error)
    await this.#join()
    this.#expect(-1)
  }

  /** Reads what other processes have noted. */
  async readNews(): Promise<void> {
    const { lost, soon } = await this.#store.news(this.#owner)
    for (const id of lost) this.#drop(this.#held.get(id))
    if (soon !== undefined) this.#expect(soon)
  }

  // ---- claims -------------------------------------------------------------------------------------------------------

  on(name: string, handler: Handler): void {
    if (this.#isClosing) throw closedStore()
    if (this.#handlers.has(name))
      throw new DurableError('ERR_DURABLE_HANDLER', `the timers ${JSON.stringify(name)} have a handler`)
    this.#handlers.set(name, handler)
    this.#expect(-1)
  }

  /** Makes the next claim look at rows from `due` on, and soon, if one of them can be due before the next claim. */
  #expect(due: number): void {
    if (due > this.#low[0]) return
    this.#low = [due - 1, 2 ** 53 - 1]
    this.#claimAfter(0)
  }

  #claimAfter(ms: number): void {
    if (this.#isClosing) return
    if (this.#claimTimer !== undefined) this.#clock.clear(this.#claimTimer)
    this.#claimTimer = undefined
    if (ms === 0) this.#inBackground(() => this.#claim())
    else this.#claimTimer = this.#clock.after(ms, () => this.#claimAfter(0))
  }

  async #claim(): Promise<void> {
    if (this.#isClaiming) {
      this.#claimsAgain = true
      return
    }
    const { maxHeld, horizon } = this.#options
    const most = Math.min(maxHeld - this.#held.size, CLAIMED)
    const names = [...this.#handlers.keys()]
    // A handler, or the next sign of life, makes the claim.
    if (names.length === 0 || !this.#hasLease()) return
    if (most <= 0) return this.#claimAfter(horizon / 2)
    this.#isClaiming = true
    this.#claimsAgain = false
    const low = this.#low
    // Rows that are expected meanwhile move it back.
    this.#low = [this.now() + horizon, 0]
    const owner = this.#owner
    try {
      const rows = await this.#store.claim({ owner, names, low, horizon, most })
      this.counts.claims++
      // Else these rows belong to a lapsed lease: others claim them.
      if (owner === this.#owner) for (const row of rows) this.#adopt(row)
      if (rows.length === most) {
        const last = rows.at(-1)!
        if (last.due < this.#low[0]) this.#low = [last.due, last.id]
        this.#claimsAgain = true
      }
    } catch (error) {
      if (low[0] < this.#low[0]) this.#low = low
      throw error
    } finally {
      this.#isClaiming = false
    }
    if (this.#claimsAgain) this.#claimAfter(0)
    else if (!this.#options.isManual) this.#claimAfter(horizon / 2)
  }

  /** Claims more if too little is held and the last claim was cut short. */
  #claimIfRoom(): void {
    if (this.#low[0] < this.now() && this.#held.size <= this.#options.maxHeld / 2) this.#claimAfter(0)
  }

  // ---- held timers --------------------------------------------------------------------------------------------------

  #adopt(row: Row): void {
    const running = this.#held.get(row.id)
    // Claimed again after a lapse of the lease, while it runs: that attempt is this one.
    if (running !== undefined) {
      running.row = row
      running.owner = this.#owner
    } else this.#hold(row)
  }

  #hold(row: Row): void {
    const attempt: Attempt = {
      row,
      owner: this.#owner,
      state: 'waits',
      timer: undefined,
      controller: undefined,
    }
    this.#held.set(row.id, attempt)
    const key = keyOf(row)
    if (key !== undefined) this.#byKey.set(key, attempt)
    this.#plan(attempt)
  }

  /** Also what is due already goes over the wheel, which runs as much as fits into its budget. */
  #plan(attempt: Attempt): void {
    attempt.timer = this.#clock.at(attempt.row.due, () => {
      if (attempt.row.due > this.now()) return this.#plan(attempt)
      attempt.timer = undefined
      const handler = this.#handlers.get(attempt.row.name)!
      handler.enqueue(attempt)
      this.#startQueued(handler)
    })
  }

  /** The clock was set: the waits of all timers that are held are wrong. */
  #planAgain(): void {
    for (const attempt of this.#held.values()) {
      if (attempt.state !== 'waits' || attempt.timer === undefined) continue
      this.#clock.clear(attempt.timer)
      this.#plan(attempt)
    }
    this.#inBackground(() => this.#beat())
  }

  /** Starts what is due, up to the concurrency of the handler. */
  #startQueued(handler: Handler): void {
    if (handler.isStarting || !handler.canStart || this.#isClosing) return
    handler.isStarting = true
    this.#inBackground(async () => {
      try {
        // Another process may have replaced or cleared one of them a moment ago.
        if (this.#others > 0) await this.readNews()
        while (handler.canStart && !this.#isClosing) {
          if (!this.#hasLease()) {
            await this.#lapse()
            return
          }
          const attempt = handler.take()
          if (attempt.row.rule === null) this.#run(handler, attempt)
          else await this.#runByRule(handler, attempt, JSON.parse(attempt.row.rule) as Rule)
        }
      } finally {
        handler.isStarting = false
      }
    })
  }

  async #runByRule(handler: Handler, attempt: Attempt, rule: Rule): Promise<void> {
    const { row } = attempt
    if (row.tries > 0 || !(await isLeftOut(rule, row.due, this.now()))) return this.#run(handler, attempt)
    const next = await afterRun(rule, row.due, this.now(), true)
    this.#inBackground(() => this.#end(attempt, next, 0, null))
  }

  #run(handler: Handler, attempt: Attempt): void {
    handler.run(attempt, this.#clock, (error) => {
      this.#inBackground(() =>
        error === undefined ? this.#succeeded(attempt) : this.#failed(handler, attempt, error),
      )
      this.#startQueued(handler)
    })
  }

  async #succeeded(attempt: Attempt): Promise<void> {
    this.counts.ran++
    await this.#goOn(attempt, null)
  }

  async #failed(handler: Handler, attempt: Attempt, error: Error): Promise<void> {
    this.counts.failures++
    this.#options.onError(error)
    const { row } = attempt
    const { message } = error
    const tries = row.tries + 1
    if (tries <= handler.options.retries)
      await this.#end(attempt, Math.ceil(this.now() + handler.waitBefore(tries)), tries, message, row.id)
    // A timer that repeats goes on with its next run.
    else if (!(await this.#goOn(attempt, message)))
      await this.#end(attempt, FAILED + Math.floor(this.now()), tries, message, row.id)
  }

  /** Ends the run of a timer: its next run follows, or it goes. @returns false if it failed and has no next run */
  async #goOn(attempt: Attempt, error: string | null): Promise<boolean> {
    const { rule, due } = attempt.row
    const next = rule === null ? undefined : await afterRun(JSON.parse(rule) as Rule, due, this.now(), false)
    if (next === undefined && error !== null) return false
    await this.#end(attempt, next, 0, error)
    return true
  }

  /** Acknowledges an attempt: the timer goes, or is due again. @param id of the next attempt; undefined: that of a new run */
  async #end(
    attempt: Attempt,
    due: number | undefined,
    tries: number,
    error: string | null,
    id = this.newId(),
  ): Promise<void> {
    if (attempt.state === 'lost') return
    attempt.state = 'ends'
    for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
      const { row } = attempt
      const isHeld = due !== undefined && attempt.owner === this.#owner && this.#holds(row.name, due)
      const next =
        due === undefined
          ? undefined
          : { due, id, tries, error, owner: isHeld ? this.#owner : 0, isSoon: this.#isSoon(due) }
      const { epoch, owner } = { epoch: row.epoch, owner: attempt.owner }
      try {
        const { isDone } = await this.#changes.add({
          kind: 'end',
          outcome: { due: row.due, id: row.id, epoch, owner, next },
        })
        this.#forget(attempt)
        if (isDone && next !== undefined) {
          if (isHeld && owner === this.#owner && !this.#isClosing)
            this.#hold({ ...row, due: next.due, id, epoch: epoch + 1, tries, error })
          else this.#expect(next.due)
        }
        this.#claimIfRoom()
        return
      } catch (thrown) {
        this.#options.onError(errorOf(thrown))
        if (this.#isClosed) return
        await new Promise<void>((resolve) => this.#clock.after(wait, resolve))
      }
    }
  }

  #forget(attempt: Attempt): void {
    const { row } = attempt
    if (this.#held.get(row.id) === attempt) this.#held.delete(row.id)
    const key = keyOf(row)
    if (key !== undefined && this.#byKey.get(key) === attempt) this.#byKey.delete(key)
  }

  /** The timer is no longer this process's: it was replaced or cleared, or the lease has lapsed. */
  #drop(attempt: Attempt | undefined, error?: DurableError): void {
    if (attempt === undefined) return
    const reason =
      error ??
      new DurableError('ERR_DURABLE_REPLACED', 'the timer was replaced or cleared while its handler ran')
    attempt.controller?.abort(reason)
    // After a lapse, what runs is acknowledged still, if no other process has taken it over.
    if (error !== undefined && attempt.state !== 'waits') return
    if (attempt.timer !== undefined) this.#clock.clear(attempt.timer)
    attempt.state = 'lost'
    this.#forget(attempt)
  }

  // ---- background ---------------------------------------------------------------------------------------------------

  #inBackground(work: () => Promise<void> | undefined): void {
    const reported = (thrown: unknown): void => {
      if (this.#isClosed) return
      this.#options.onError(errorOf(thrown))
      // Whatever it was: look at the database again in a moment.
      this.#claimAfter(FIRST_WAIT * 10)
    }
    try {
      work()?.catch(reported)
    } catch (thrown) {
      reported(thrown)
    }
  }

  #every(ms: number, work: () => Promise<void> | undefined): void {
    const run = (): void => {
      if (this.#isClosed) return
      this.#inBackground(async () => {
        try {
          await work()
        } finally {
          this.#clock.after(ms, run)
        }
      })
    }
    this.#clock.after(ms, run)
  }

  /** Whether nothing is under way but handlers. */
  get isIdle(): boolean {
    if (this.#isClaiming || !this.#changes.isIdle) return false
    for (const handler of this.#handlers.values()) if (handler.isStarting) return false
    return true
  }

  async close(timeout: number): Promise<void> {
    if (this.#isClosing) return
    this.#isClosing = true
    const waiting = [...this.#held.values()].filter(({ state }) => state === 'waits')
    for (const { timer } of waiting) if (timer !== undefined) this.#clock.clear(timer)
    const running = [...this.#handlers.values()].map((handler) => handler.whenIdle())
    let timer: Timeout | undefined
    const late = new Promise<void>((resolve) => {
      // Real time, also if a test moves the clock.
      timer = setTimeout(resolve, timeout)
    })
    const giveBack = waiting.map((attempt) => {
      const { row, owner } = attempt
      const { due, id, epoch, tries, error } = row
      const next = { due, id, tries, error, owner: 0, isSoon: this.#isSoon(due) }
      return this.#changes.add({ kind: 'end', outcome: { due, id, epoch, owner, next } })
    })
    await Promise.race([Promise.all(running), late])
    clearTimeout(timer)
    for (const { controller } of this.#held.values()) controller?.abort(closedStore())
    await Promise.allSettled(giveBack)
    while (!this.#changes.isIdle) await new Promise(setImmediate)
    this.#isClosed = true
    try {
      await this.#store.leave(this.#owner)
    } finally {
      this.#clock.stop()
      await this.#store.close()
    }
  }
}
