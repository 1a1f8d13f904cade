/** The processes that have a store in an SQLite file open: their leases, and what they tell each other. */
import {
  type Args,
  FOREVER,
  forget,
  type Joined,
  LONGEST_LEASE,
  MARGIN,
  type Message,
  type News,
  PEER,
  type Peer,
  type Ref,
} from '../common/store.js'
import { Connection } from './connection.js'

/** Finds a row by a {@link Ref}. */
export const FOUND = 'name = ? AND due = ? AND id = ?'
export const refOf = ({ name, due, id }: Ref): [string, number, string] => [name, due, id]
/** A process lives: `now`, and the end of the longest lease that can begin now. */
const LIVES = `alive AND until > ? AND (until <= ? OR until > ${FOREVER})`
/** Notes that rows of a name are free, of which the first is due at this time. */
export type Tell = (name: string, due: number) => void

export class Processes extends Connection {
  #version = -1

  /** Makes changes, and tells other processes of the rows that are free then. @param owner is not told */
  protected telling<T>(owner: number, work: (now: number, tell: Tell) => T): T {
    return this.transaction((now) => {
      const soon = new Map<string, number>()
      const answer = work(now, (name, due) => soon.set(name, Math.min(due, soon.get(name) ?? due)))
      for (const [name, due] of soon) {
        // They look a little further ahead than their horizons, for the sake of PostgreSQL.
        this.run(
          `INSERT INTO @_message (process, name, due) SELECT id, ?, ? FROM @_process WHERE id <> ? AND horizon >= ? AND ${LIVES}
           ON CONFLICT (process, name, id) DO UPDATE SET due = min(due, excluded.due)`,
          ...[name, due, owner, due - now - MARGIN, now, now + LONGEST_LEASE],
        )
      }
      return answer
    })
  }

  /** The processes that live: the one with the number `owner`, and the others. */
  protected peers(owner: number, now: number): { living: Peer[]; own: Peer | undefined; others: Peer[] } {
    const find = this.sql(`SELECT ${PEER} FROM @_process WHERE ${LIVES}`)
    const living = find.all<Peer>(now, now + LONGEST_LEASE)
    return {
      living,
      own: living.find((one) => one.owner === owner),
      others: living.filter((one) => one.owner !== owner),
    }
  }

  join({ owner, former, lease, horizon, place, held }: Args<'join'>): Joined {
    return this.telling(owner, (now, tell) => {
      const until = now + lease
      const { boot, space, pid, began } = place
      const formers = JSON.stringify(former)
      this.run('DELETE FROM @_process WHERE id IN (SELECT value FROM json_each(?))', formers)
      this.run(
        'INSERT INTO @_process (id, alive, until, horizon, boot, space, pid, began) VALUES (?, 1, ?, ?, ?, ?, ?, ?)',
        ...[owner, until, horizon, boot, space, pid, began],
      )
      const keep = `UPDATE @ SET owner = ? WHERE ${FOUND} AND owner IN (SELECT value FROM json_each(?))`
      const isLost = (row: Ref): boolean => this.run(keep, owner, ...refOf(row), formers) === 0
      const lost = held.filter(isLost).map(({ id }) => id)
      tell('', 0)
      return { until, lost, others: this.peers(owner, now).others }
    })
  }

  #renew(owner: number, lease: number): void {
    this.telling(owner, (now, tell) => {
      if (this.peers(owner, now).own !== undefined) {
        const renew = 'UPDATE @_process SET until = ?, alive = ? WHERE id = ?'
        this.run(renew, now + lease, Number(lease > 0), owner)
        if (lease === 0) tell('', 0)
      }
      this.run(forget('?'), now)
      this.run('DELETE FROM @_message WHERE process NOT IN (SELECT id FROM @_process WHERE alive)')
    })
  }

  beat({ owner, lease }: Args<'beat'>): News {
    if (lease !== null) this.#renew(owner, lease)
    // Before the messages are read: what is written in between is read the next time.
    this.#version = this.#readVersion()
    // Without a lock if there are none.
    const hasMessages = this.sql('SELECT 1 FROM @_message WHERE process = ? LIMIT 1').get(owner)
    const take = this.sql('DELETE FROM @_message WHERE process = ? RETURNING name, id, due')
    const messages = hasMessages === undefined ? [] : take.all<Message>(owner)
    const { own, others } = this.peers(owner, this.now())
    const paused = this.sql('SELECT name FROM @_paused').all<{ name: string }>()
    return { until: own?.until ?? null, messages, others, paused: paused.map(({ name }) => name) }
  }

  pause({ name, isPaused }: Args<'pause'>): null {
    return this.telling(0, (_, tell) => {
      const text = isPaused
        ? 'INSERT OR IGNORE INTO @_paused VALUES (?)'
        : 'DELETE FROM @_paused WHERE name = ?'
      this.run(text, name)
      tell('', 0)
      return null
    })
  }

  /** Whether another connection has written since the last {@link beat}. Cheap. */
  hasNews(): boolean {
    return this.#readVersion() !== this.#version
  }

  #readVersion(): number {
    return this.sql('PRAGMA data_version').get<{ data_version: number }>()!.data_version
  }
}
