/** The end of an engine: it gives back what waits, lets handlers end, and ends its lease. */

import { closedStore } from '../common/errors.js'
import type { Changed, Store } from '../common/store.js'
import { clearTimeout, setTimeout } from '../common/time.js'
import type { Background } from './background.js'
import type { Claims } from './claims.js'
import type { Clock } from './clock.js'
import type { Doubt } from './doubt.js'
import type { ChangeItem, Ends, GroupCommit } from './group-commit.js'
import { type Attempt, abort, type Held } from './held.js'
import type { Lease } from './lease.js'
import type { Runs } from './runs.js'

/** How long the last statements may take, in milliseconds: as long as SQLite waits for a lock. */
const LAST_STATEMENTS = 5_000

export interface Parts {
  store: Store
  clock: Clock
  background: Background
  doubt: Doubt
  changes: GroupCommit<ChangeItem, Changed>
  ends: Ends
  held: Held
  lease: Lease
  claims: Claims
  runs: Runs
}

/** Gives back timers that wait, and that are not held any more. */
export async function giveBack(attempts: readonly Attempt[], ends: Ends, doubt: Doubt): Promise<void> {
  try {
    await Promise.all(
      attempts.map(({ row: { due, id, fence, name, key, tries, error }, owner }) => {
        const end = { due, id, fence, name, key, owner, next: { due, id, tries, error, owner: 0 } }
        return new Promise<unknown>((apply, fail) => ends.add({ end, apply, fail }))
      }),
    )
  } catch (error) {
    doubt.raise()
    throw error
  }
}

async function giveBackAll({ claims, changes, ends, held, doubt }: Parts): Promise<void> {
  // They may bring more to hold.
  await claims.stop()
  await Promise.all([changes.whenIdle(), ends.whenIdle()])
  await giveBack(held.loseWaiting(), ends, doubt)
  // Also what this process may own without knowing.
  await doubt.run(async () => {})
}

async function leave({ changes, ends, lease, store }: Parts): Promise<void> {
  await Promise.all([changes.whenIdle(), ends.whenIdle()])
  const { number } = lease
  lease.number = 0
  if (number !== 0) await store.leave(number)
}

/** @param timeout milliseconds for the handlers that run */
export async function closeAll(parts: Parts, timeout: number): Promise<void> {
  const { runs, held, background, clock, store } = parts
  const finish = async (work: Promise<unknown>, ms: number): Promise<void> => {
    let timer: NodeJS.Timeout | undefined
    // Real time, also if a test moves the clock.
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
    })
    await Promise.race([work, late])
    clearTimeout(timer)
  }
  const report = (error: unknown): void => background.report(error)
  runs.isStopped = true
  // It also waits for acknowledgements.
  await finish(Promise.all([giveBackAll(parts).catch(report), runs.whenIdle(), held.whenEmpty()]), timeout)
  // What runs still is run again elsewhere: its failure counts no more.
  runs.isAborted = true
  for (const attempt of held.started()) if (attempt.state === 'runs') abort(attempt, closedStore())
  await finish(leave(parts).catch(report), LAST_STATEMENTS)
  background.isEnded = true
  clock.stop()
  await store.close()
}
