/**
 * The lease of this process, and the number under which it owns rows. The number changes when another process may have taken rows over, and
 * when an answer was lost: docs/contributing/durable.md says how. Nothing is started without a lease.
 */
import { outside } from '../common/context.js'
import { closedStore, DurableError, withoutDoubt } from '../common/errors.js'
import { makeIds } from '../common/ids.js'
import { findPlace, hasEnded } from '../common/place.js'
import { LONGEST_LEASE } from '../common/rows.js'
import type { Answer, Args, Method, Peer, Store } from '../common/store.js'
import { makeBackground, type OnError } from './background.js'
import { type Clock, makeAlarm } from './clock.js'
import { Held } from './held.js'

/** Whether the statement has certainly changed nothing. */
const isCertain = (error: unknown): boolean =>
  error instanceof DurableError && error.code !== 'ERR_DURABLE_DOUBT'

/** So many numbers there are that no two processes have the same. */
const MOST_NUMBERS = 2 ** 52
/** How long a process whose lease has ended lets others begin theirs first, in milliseconds. */
const COURTESY = 1_000

export type Lease = ReturnType<typeof makeLease>

export function makeLease(
  store: Store,
  clock: Clock,
  { lease: length, horizon, onError }: { lease: number; horizon: number; onError: OnError },
) {
  const background = makeBackground(clock, onError)
  const held = new Held()
  const place = findPlace()
  const otherEnd = makeAlarm(clock, look)
  /** The numbers under which this process may own rows. */
  let numbers: number[] = []
  /** The end of the lease, on the clock of the store and on one that cannot be set. */
  let until = 0
  let end = 0
  let joining: Promise<void> | undefined
  /** Whether the lease has ended, and this process has not let others go first since. */
  let isLate = false

  /**
   * Sends a statement under the number of this process. If the answer is lost, the process goes on under another number.
   *
   * @param done gets the answer, and the number under which it was asked for. Rows that were lost meanwhile are not held by it
   */
  async function ask<M extends Method>(
    method: M,
    argsOf: (owner: number) => Args<M>,
    done?: (answer: Answer<M>, owner: number) => void,
  ): Promise<Answer<M>> {
    if (lease.owner === 0) await withoutDoubt(ensure())
    const { owner } = lease
    const lost = new Set<string>()
    held.underWay.add(lost)
    try {
      const answer = await store.call(method, argsOf(owner))
      done?.(answer, owner)
      return answer
    } catch (error) {
      if (!isCertain(error) && owner === lease.owner) renumber()
      throw error
    } finally {
      held.underWay.delete(lost)
    }
  }

  async function join(): Promise<void> {
    // If it was stopped, it may have held the lock of the file. Then others could not store what they have run.
    if (isLate && lease.others > 0) await new Promise<void>((resolve) => clock.after(COURTESY, resolve))
    isLate = false
    // Before the statement is sent: the lease in the store then ends no earlier.
    const ends = clock.monotonic() + length
    const before = until
    const owner = Math.ceil(Math.random() * MOST_NUMBERS)
    const former = numbers
    numbers = [...former, owner]
    const args = { owner, former, lease: length, horizon, place, held: held.rows }
    const joined = await store.call('join', args).catch((error) => {
      if (isCertain(error)) numbers = former
      throw error
    })
    // The lease has ended meanwhile. Of what it has got, it has forgotten a part.
    if (until !== before) return join()
    numbers = [owner]
    lease.owner = owner
    until = joined.until
    end = ends
    for (const id of joined.lost) held.lose(id, false)
    look()
    met(joined.others)
  }

  /** While the number changes, an answer to a statement of the former one gives nothing to hold. */
  function renumber(): void {
    lease.owner = 0
    background.persist(ensure)
  }

  async function ensure(): Promise<void> {
    if (background.isEnded) throw closedStore()
    if (lease.owner !== 0) return
    joining ??= outside(join).finally(() => {
      joining = undefined
    })
    await joining
  }

  /** Ends the lease. */
  async function leave(): Promise<void> {
    const { owner } = lease
    lease.owner = 0
    background.isEnded = true
    if (owner !== 0) await store.call('beat', { owner, lease: 0 })
  }

  async function beat(): Promise<void> {
    if (!lease.isAlive) return lapse()
    await read(length)
  }

  const hear = (): void => background.persist(read)

  function look(): void {
    held.sweep()
    hear()
  }

  /** Reads what other processes have told this one. @param renewed renews the lease, too: for so long */
  async function read(renewed: number | null = null): Promise<void> {
    const asked = lease.owner
    if (asked === 0 || background.isEnded) return
    const ends = clock.monotonic() + (renewed ?? 0)
    const news = await ask('beat', (owner) => ({ owner, lease: renewed }))
    held.hear(news)
    if (asked !== lease.owner) return
    // A lease that has ended while the answer was under way may be another's by now.
    if (news.until === null || !lease.isAlive) return lapse()
    lease.others = news.others.length
    if (renewed === null) return
    until = news.until
    end = ends
    held.sweep()
    met(news.others)
  }

  /** Ends the leases of processes of the same machine that do not run any more, and looks when another lease has ended. */
  function met(others: readonly Peer[]): void {
    lease.others = others.length
    otherEnd.clear()
    for (const one of others) otherEnd.set(one.until + 1)
    const dead = others.filter((one) => hasEnded(one, place))
    if (dead.length === 0) return
    background.run(async () => {
      for (const { owner } of dead) await store.call('beat', { owner, lease: 0 })
      look()
    })
  }

  /** The lease has ended: what waits is forgotten. What runs is acknowledged still, if no other process has claimed it. */
  function lapse(): void {
    if (until === 0) return
    until = 0
    isLate = true
    for (const attempt of held.all('waits')) held.drop(attempt)
    held.giveUp(new DurableError('ERR_DURABLE_LEASE', 'the lease has ended while the handler ran'))
    const message = 'the lease of this process has ended: its timers run elsewhere, or here under a new lease'
    background.report(new DurableError('ERR_DURABLE_LEASE', message))
    renumber()
  }

  const lease = {
    ...{ clock, background, held, newId: makeIds(), ask, join, leave, beat, hear, read, lapse },
    isTold: store.isTold,
    /** The number under which this process owns rows; 0: it has none now. */
    owner: 0,
    /** Other processes that live, as far as is known. */
    others: 0,
    /** By two clocks: one can be set, the other stops while the machine sleeps. */
    get isAlive(): boolean {
      const left = until - clock.now()
      // A lease that ends too late counts as ended for others: see rows.ts. For this process a little earlier.
      const isShort = left <= length + LONGEST_LEASE / 2
      return left > 0 && isShort && clock.monotonic() < end
    },
    get isIdle(): boolean {
      return held.underWay.size === 0 && joining === undefined
    },
  }
  return lease
}
