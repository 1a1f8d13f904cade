/** The processes that have a store in an SQLite file open: their leases, and what they tell each other. */
import { forget, lives, MARGIN, PEER } from '../common/rows.js'
import type { Message, Peer, Ref, Statements } from '../common/store.js'
import type { Connection } from './connection.js'

/** Finds a row by a {@link Ref}. */
export const FOUND = 'name = ? AND due = ? AND id = ?'
export const refOf = ({ name, due, id }: Ref): [string, number, string] => [name, due, id]
/** With the time, twice. */
const LIVES = lives('?')
/** Notes that rows of a name are free, of which the first is due at this time. */
export type Tell = (name: string, due: number) => void

/** The statements of processes, and what the others need of them. */
export function makeProcesses({ sql, run, transaction, now: time }: Connection) {
  let version = -1
  const readVersion = (): number => sql('PRAGMA data_version').get<{ data_version: number }>()!.data_version

  /** Makes changes, and tells other processes of the rows that are free then. @param owner is not told */
  function telling<T>(owner: number, work: (now: number, tell: Tell) => T): T {
    return transaction((now) => {
      const soon = new Map<string, number>()
      const answer = work(now, (name, due) => soon.set(name, Math.min(due, soon.get(name) ?? due)))
      for (const [name, due] of soon) {
        // They look a little further ahead than their horizons, for the sake of PostgreSQL.
        run(
          `INSERT INTO @_message (process, name, due) SELECT id, ?, ? FROM @_process WHERE id <> ? AND horizon >= ? AND ${LIVES}
           ON CONFLICT (process, name, id) DO UPDATE SET due = min(due, excluded.due)`,
          ...[name, due, owner, due - now - MARGIN, now, now],
        )
      }
      return answer
    })
  }

  /** The processes that live: the one with the number `owner`, and the others. */
  function peers(owner: number, now: number) {
    const living = sql(`SELECT ${PEER} FROM @_process WHERE ${LIVES}`).all<Peer>(now, now)
    const others = living.filter((one) => one.owner !== owner)
    return { living, own: living.find((one) => one.owner === owner), others }
  }

  function renew(owner: number, lease: number): void {
    telling(owner, (now, tell) => {
      if (peers(owner, now).own !== undefined) {
        run('UPDATE @_process SET until = ?, alive = ? WHERE id = ?', now + lease, Number(lease > 0), owner)
        if (lease === 0) tell('', 0)
      }
      run(forget('?'), now)
      run('DELETE FROM @_message WHERE process NOT IN (SELECT id FROM @_process WHERE alive)')
    })
  }

  const statements: Pick<Statements, 'join' | 'beat' | 'pause'> = {
    join({ owner, former, lease, horizon, place, held }) {
      return telling(owner, (now, tell) => {
        const until = now + lease
        const { boot, space, pid, began } = place
        const isKnown =
          run('DELETE FROM @_process WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(former)) >
          0
        const formers = JSON.stringify(isKnown ? former : [])
        run(
          'INSERT INTO @_process (id, alive, until, horizon, boot, space, pid, began) VALUES (?, 1, ?, ?, ?, ?, ?, ?)',
          ...[owner, until, horizon, boot, space, pid, began],
        )
        const keep = `UPDATE @ SET owner = ? WHERE ${FOUND} AND owner IN (SELECT value FROM json_each(?))`
        const isLost = (row: Ref): boolean => run(keep, owner, ...refOf(row), formers) === 0
        const lost = held.filter(isLost).map(({ id }) => id)
        tell('', 0)
        return { until, lost, others: peers(owner, now).others }
      })
    },
    beat({ owner, lease }) {
      if (lease !== null) renew(owner, lease)
      // Before it reads the messages: a message that comes in between is read the next time.
      version = readVersion()
      // Without a lock if there are none.
      const hasMessages = sql('SELECT 1 FROM @_message WHERE process = ? LIMIT 1').get(owner) !== undefined
      const take = sql('DELETE FROM @_message WHERE process = ? RETURNING name, id, due')
      const messages = hasMessages ? take.all<Message>(owner) : []
      const { own, others } = peers(owner, time())
      const paused = sql('SELECT name FROM @_paused').all<{ name: string }>()
      return { until: own?.until ?? null, messages, others, paused: paused.map(({ name }) => name) }
    },
    pause({ name, isPaused }) {
      return telling(0, (_, tell) => {
        run(
          isPaused ? 'INSERT OR IGNORE INTO @_paused VALUES (?)' : 'DELETE FROM @_paused WHERE name = ?',
          name,
        )
        tell('', 0)
        return null
      })
    },
  }
  return {
    ...{ statements, telling, peers },
    /** Whether another connection has written since the last `beat`. Cheap. */
    hasNews: (): boolean => readVersion() !== version,
  }
}
