/** A model of a store: what each statement must answer, and which starts are right. */
import { expect } from '@jest/globals'
import * as stores from '../../lib/durable/common/store.js'

interface ModelRow extends Pick<stores.Row, 'due' | 'name' | 'key' | 'data' | 'fence' | 'rule'> {
  owner: number
}

export class Model {
  readonly rows = new Map<number, ModelRow>()
  /** The ends of leases; negative: a row was taken over. */
  readonly #leases = new Map<number, number>()
  /** Whether a timer that has been started may be started again. */
  readonly #again = new Map<number, boolean>()
  readonly #mayCount = new Set<number>()
  readonly succeeded = new Set<number>()

  #lives(number: number, now: number): boolean {
    const until = this.#leases.get(number) ?? 0
    return until > now && until <= now + stores.LONGEST_LEASE
  }
  /** A timer starts. @returns what is wrong with that */
  start(id: number, due: number, attempt: number, now: number): string | undefined {
    const [again, counts] = [this.#again.get(id), this.#mayCount.has(id)]
    this.#again.set(id, false)
    if (now < due) return 'is early'
    if (again === false) return 'starts twice'
    return attempt > 1 && again === undefined && !counts ? 'counts too much' : undefined
  }
  check(method: string, args: unknown[], answer: unknown, now: number): void {
    const owner = args[0] as number
    if (method === 'join') this.#leases.set((answer as stores.Joined).number, now + owner)
    else if (method === 'beat') {
      const { until } = answer as stores.Beat
      expect(until !== undefined).toBe(this.#lives(owner, now))
      if (until !== undefined) this.#leases.set(owner, until)
    } else if (method === 'leave') this.#leases.set(owner, -now)
    else if (method === 'claim') this.#claim(args[0] as stores.Claim, answer as stores.Claimed, now)
    else if (method === 'keep') this.#keep(owner, args[1] as stores.Row[], answer as number[])
    else if (method === 'change')
      for (const [i, change] of (args[1] as stores.Change[]).entries())
        this.#change(change, (answer as stores.Changed[])[i]!)
    else if (method === 'end')
      for (const [i, end] of (args[1] as stores.End[]).entries())
        this.#end(end, (answer as stores.Ended[])[i]!)
    else if (method === 'retry' && answer === true) {
      const [, id, due] = args as number[]
      this.#again.set(id!, true)
      Object.assign(this.rows.get(id!)!, { due, owner: 0 })
    }
  }
  #claim({ owner }: stores.Claim, { isAlive, rows }: stores.Claimed, now: number): void {
    expect(isAlive).toBe(this.#lives(owner, now))
    for (const { id, fence } of rows) {
      const row = this.rows.get(id)!
      expect(this.#lives(row.owner, now)).toBe(false)
      if (row.owner !== 0) {
        if (this.#again.has(id)) this.#again.set(id, true)
        const until = Math.abs(this.#leases.get(row.owner) ?? now)
        if (row.due <= Math.min(until, now)) this.#mayCount.add(id)
        this.#leases.set(row.owner, -until)
      }
      Object.assign(row, { owner, fence })
    }
  }
  #keep(owner: number, own: readonly Pick<stores.Row, 'id' | 'fence'>[], lost: number[]): void {
    for (const [id, row] of this.rows)
      if (row.owner === owner && own.every((one) => one.id !== id || one.fence !== row.fence))
        Object.assign(row, { owner: 0, fence: row.fence + 1 })
    expect(lost).toEqual(own.map(({ id }) => id).filter((id) => this.rows.get(id)?.owner !== owner))
  }
  #change(change: stores.Change, answer: stores.Changed): void {
    const { name, key } = change.kind === 'set' ? change.row : change
    const found = [...this.rows].find(([, row]) => key !== null && row.key === key && row.name === name)
    const [present] = found ?? []
    const keeps = change.kind === 'set' && change.row.ifExists === 'keep'
    const isRefused = keeps && found !== undefined && found[1].due < stores.FAILED
    expect(answer.removed).toBe(isRefused ? undefined : present)
    expect(answer.present?.id).toBe(isRefused ? present : undefined)
    if (answer.removed !== undefined) this.rows.delete(answer.removed)
    if (change.kind === 'set' && !isRefused) this.rows.set(answer.id!, { ...change.row, fence: 0 })
  }
  #end(end: stores.End, { isDone, id }: stores.Ended): void {
    const row = this.rows.get(end.id)
    expect(isDone).toBe(row !== undefined && row.owner === end.owner && row.fence === end.fence)
    if (!isDone) return
    const { next } = end
    this.rows.delete(end.id)
    if (next !== undefined) {
      this.rows.set(id!, { ...row!, due: next.due, owner: next.owner, fence: end.fence + 1 })
      if (this.#again.has(id!)) this.#again.set(id!, true)
    } else if (row!.rule === null && !this.succeeded.has(end.id)) throw new Error(`${end.id} was lost`)
  }
}
