/** A store on one connection to an SQLite file. Each call works at once, and waits for the disk: see worker.ts. */
import type {
  Beat,
  Change,
  Changed,
  Claim,
  Claimed,
  End,
  Ended,
  Joined,
  News,
  Portion,
  Position,
  Row,
} from '../common/store.js'
import { Connection, type ConnectionOptions } from './connection.js'
import { Processes } from './processes.js'
import { Rows } from './rows.js'
import { Timers } from './timers.js'

export class Database {
  readonly #connection: Connection
  readonly #processes: Processes
  readonly #timers: Timers
  readonly #rows: Rows

  constructor(options: ConnectionOptions) {
    this.#connection = new Connection(options)
    this.#processes = new Processes(this.#connection)
    this.#timers = new Timers(this.#connection, this.#processes)
    this.#rows = new Rows(this.#connection)
  }

  hasNews(): boolean {
    return this.#processes.hasNews()
  }

  join(lease: number, horizon: number): Joined {
    return this.#processes.join(lease, horizon)
  }

  beat(owner: number, lease: number): Beat {
    return this.#processes.beat(owner, lease)
  }

  claim(claim: Claim): Claimed {
    return this.#timers.claim(claim)
  }

  change(owner: number, changes: readonly Change[]): Changed[] {
    return this.#timers.change(owner, changes)
  }

  end(owner: number, ends: readonly End[]): Ended[] {
    return this.#timers.end(owner, ends)
  }

  retry(owner: number, id: number, due: number): boolean {
    return this.#timers.retry(owner, id, due)
  }

  news(owner: number): News {
    return this.#processes.news(owner)
  }

  keep(owner: number, own: readonly Pick<Row, 'id' | 'fence'>[]): number[] {
    return this.#timers.keep(owner, own)
  }

  leave(owner: number): void {
    this.#processes.leave(owner)
  }

  get(name: string, key: string): Row | undefined {
    return this.#timers.find(name, key)
  }

  portion(low: Position, before: number, name: string | undefined): Portion {
    return this.#rows.portion(low, before, name)
  }

  count(low: Position, before: number): { rows: number; next: Position | undefined } {
    return this.#rows.count(low, before)
  }

  forget(before: number): boolean {
    return this.#rows.forget(before)
  }

  close(): void {
    this.#connection.close()
  }
}
