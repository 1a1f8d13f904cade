/** The processes that have a store in an SQLite file open: their leases, and what they tell each other. */
import {
  type Args,
  type Beat,
  EPOCHS,
  FOREVER,
  type Joined,
  LONGEST_LEASE,
  MARGIN,
  type Message,
  type News,
  ownerOf,
  PEER,
  type Peer,
  processOf,
  REMEMBERED,
  type Ref,
} from '../common/store.js'
import { Connection, type ConnectionOptions } from './connection.js'

/** Finds a row by a {@link Ref}. */
export const FOUND = 'name = ? AND due = ? AND id = ?'
export const refOf = ({ name, due, id }: Ref): [string, number, string] => [name, due, id]
/** Notes that rows of a name are free, of which the first is due at this time. */
export type Tell = (name: string, due: number) => void

export class Processes {
  protected readonly connection: Connection
  #version = -1

  constructor(options: ConnectionOptions) {
    this.connection = new Connection(options)
  }

  /** Makes changes, and tells other processes of the rows that are free then. @param owner is not told */
  protected telling<T>(owner: number, work: (now: number, tell: Tell) => T): T {
    return this.connection.transaction((now) => {
      const soon = new Map<string, number>()
      const answer = work(now, (name, due) => soon.set(name, Math.min(due, soon.get(name) ?? due)))
      if (soon.size === 0) return answer
      for (const { process, horizon } of this.peers(owner, now).others) {
        for (const [name, due] of soon) {
          // They look a little further ahead than their horizons, for the sake of PostgreSQL.
          if (due > now + horizon + MARGIN) continue
          this.connection.run(
            `INSERT INTO @_message (process, name, due) VALUES (?, ?, ?)
             ON CONFLICT (process, name, id) DO UPDATE SET due = min(due, excluded.due)`,
            ...[process, name, due],
          )
        }
      }
      return answer
    })
  }

  /** The processes that live, whether the one with the number `owner` is one of them, and the others. */
  protected peers(owner: number, now: number): { living: Peer[]; isAlive: boolean; others: Peer[] } {
    const living = this.connection.all<Peer>(
      `SELECT ${PEER} FROM @_process WHERE alive AND until > ? AND (until <= ? OR until > ${FOREVER})`,
      ...[now, now + LONGEST_LEASE],
    )
    return {
      living,
      isAlive: living.some(({ process, epoch }) => ownerOf(process, epoch) === owner),
      others: living.filter(({ process }) => process !== processOf(owner)),
    }
  }

  join({ process, epoch, lease, horizon, place, held }: Args<'join'>): Joined | null {
    const owner = ownerOf(process, epoch)
    return this.telling(owner, (now, tell) => {
      const until = now + lease
      const { boot, space, pid, began } = place
      const begun = this.connection.run(
        `INSERT INTO @_process (id, epoch, alive, until, horizon, boot, space, pid, began) VALUES (?, ?, 1, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET epoch = excluded.epoch, alive = 1, until = excluded.until WHERE epoch < excluded.epoch`,
        ...[process, epoch, until, horizon, boot, space, pid, began],
      )
      if (begun === 0) return null
      const keep = `UPDATE @ SET owner = ? WHERE ${FOUND} AND owner / ${EPOCHS} = ?`
      const isLost = (row: Ref): boolean => this.connection.run(keep, owner, ...refOf(row), process) === 0
      const lost = held.filter(isLost).map(({ id }) => id)
      tell('', 0)
      return { until, lost, others: this.peers(owner, now).others }
    })
  }

  beat({ owner, lease }: Args<'beat'>): Beat {
    return this.connection.transaction((now) => {
      const { isAlive, others, living } = this.peers(owner, now)
      const renew = 'UPDATE @_process SET until = ? WHERE id = ?'
      if (isAlive) this.connection.run(renew, now + lease, processOf(owner))
      const processes = JSON.stringify(living.map(({ process }) => process))
      const isDead = 'NOT IN (SELECT value FROM json_each(?))'
      const forget = `DELETE FROM @_process WHERE abs(until - ?) > ${REMEMBERED} AND id ${isDead}`
      this.connection.run(forget, now, processes)
      this.connection.run(`DELETE FROM @_message WHERE process ${isDead}`, processes)
      return { until: isAlive ? now + lease : null, others }
    })
  }

  bury({ processes }: Args<'bury'>): null {
    return this.telling(0, (now, tell) => {
      const end = 'UPDATE @_process SET alive = 0, until = min(until, ?) WHERE id = ? AND alive'
      for (const process of processes) this.connection.run(end, now, process)
      tell('', 0)
      return null
    })
  }

  pause({ name, isPaused }: Args<'pause'>): null {
    return this.telling(0, (_, tell) => {
      const text = isPaused
        ? 'INSERT OR IGNORE INTO @_paused VALUES (?)'
        : 'DELETE FROM @_paused WHERE name = ?'
      this.connection.run(text, name)
      tell('', 0)
      return null
    })
  }

  /** Whether another connection has written since the last {@link news}. Cheap. */
  hasNews(): boolean {
    return this.#readVersion() !== this.#version
  }

  #readVersion(): number {
    return this.connection.value<number>('PRAGMA data_version')!
  }

  news({ owner }: Args<'news'>): News {
    // Before the messages are read: what is written in between is read the next time.
    this.#version = this.#readVersion()
    const process = processOf(owner)
    const hasMessages =
      this.connection.value('SELECT 1 FROM @_message WHERE process = ? LIMIT 1', process) !== null
    const take = 'DELETE FROM @_message WHERE process = ? RETURNING name, id, due'
    const messages = hasMessages ? this.connection.all<Message>(take, process) : []
    const { isAlive, others } = this.peers(owner, this.connection.now())
    const paused = this.connection.all<{ name: string }>('SELECT name FROM @_paused')
    return { isAlive, messages, others: others.length, paused: paused.map(({ name }) => name) }
  }

  close(): void {
    this.connection.close()
  }
}
