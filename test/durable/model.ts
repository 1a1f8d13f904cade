/** A model of a store: what each statement must answer, and which starts are right. */
import { FAILED, LONGEST_LEASE } from '../../lib/durable/common/rows.js'
import type * as stores from '../../lib/durable/common/store.js'

interface ModelRow extends Pick<stores.Row, 'at' | 'due' | 'name' | 'key' | 'data' | 'rule'> {
  owner: number
  /** When it is due again after its end, and when that was said. Of an update 0, or minus the due time if that is another one. */
  again: number | null
  marked: number
  /** Whether the run has been started. */
  hasBegun: boolean
  /** The data that the process has which has claimed it last. */
  claimed: string | null
  /** Whether a start was stored, which may not have followed. */
  isNoted?: boolean
}

interface ModelProcess {
  isAlive: boolean
  until: number
}

/** A timer that has started. */
interface Started {
  /** Whether it may be started again. */
  again: boolean
  starts: number
}

export class Model {
  readonly rows = new Map<string, ModelRow>()
  readonly #processes = new Map<number, ModelProcess>()
  readonly #started = new Map<string, Started>()
  /** How often a timer may have been started by processes that have died. */
  readonly #mayCount = new Map<string, number>()
  readonly succeeded = new Set<string>()
  readonly #paused = new Set<string>()

  #lives(owner: number, now: number): boolean {
    const process = this.#processes.get(owner)
    return process?.isAlive === true && process.until > now && process.until <= now + LONGEST_LEASE
  }
  /** A timer starts. @returns what is wrong with that */
  start(id: string, at: number, attempt: number, now: number): string | undefined {
    const started = this.#started.get(id) ?? { again: true, starts: 0 }
    this.#started.set(id, { again: false, starts: started.starts + 1 })
    const row = this.rows.get(id)
    if (now < at || now < (row?.due ?? 0)) return 'is early'
    if (row !== undefined && row.at !== at) return 'has another time'
    if (!started.again) return 'starts twice'
    const most = 1 + started.starts + (this.#mayCount.get(id) ?? 0)
    return attempt > most ? `counts too much: ${attempt} of ${most}` : undefined
  }
  #mayStartAgain(id: string): void {
    const started = this.#started.get(id)
    if (started !== undefined) started.again = true
  }
  check<M extends stores.Method>(
    method: M,
    args: stores.Args<M>,
    answer: stores.Answer<M>,
    now: number,
  ): void {
    const checks: { [M in stores.Method]?: (args: stores.Args<M>, answer: stores.Answer<M>) => void } = {
      join: (args, answer) => this.#join(args, answer, now),
      beat: ({ owner, lease }, { until }) => {
        const lived = this.#lives(owner, now)
        expect(until !== null).toBe(lived && lease !== 0)
        if (until !== null) this.#processes.get(owner)!.until = until
        else if (lived) this.#bury(owner)
      },
      claim: ({ owner }, claimed) => this.#claim(owner, claimed, now),
      change: ({ changes }, answers) => {
        for (const [i, change] of changes.entries()) this.#change(change, answers[i]!, now)
      },
      end: ({ owner, ends }, answers) => {
        for (const [i, end] of ends.entries()) this.#end(owner, end, answers[i]!)
      },
      pause: ({ name, isPaused }) => {
        if (isPaused) this.#paused.add(name)
        else this.#paused.delete(name)
      },
      retry: ({ id, due }, name) => {
        if (name === null) return
        this.#mayStartAgain(id)
        const row = this.rows.get(id)!
        Object.assign(row, { due: Math.max(row.at, due), owner: 0 })
      },
    }
    checks[method]?.(args, answer)
  }
  #join({ owner, former, held, lease }: stores.Join, { lost }: stores.Joined, now: number): void {
    for (const one of former) this.#processes.delete(one)
    this.#processes.set(owner, { isAlive: true, until: now + lease })
    for (const { id, due } of held) {
      const row = this.rows.get(id)
      const isOwn = row?.due === due && former.includes(row.owner)
      expect([id, lost.includes(id)]).toEqual([id, !isOwn])
      if (isOwn) row.owner = owner
    }
  }
  #bury(process: number): void {
    this.#processes.get(process)!.isAlive = false
  }
  #claim(owner: number, claimed: stores.ClaimedOf[] | null, now: number): void {
    expect(claimed !== null).toBe(this.#lives(owner, now))
    if (claimed === null) return
    for (const [process, { isAlive }] of this.#processes)
      if (isAlive && !this.#lives(process, now)) this.#bury(process)
    for (const { id, name, starts } of claimed.flatMap(({ rows }) => rows)) {
      const row = this.rows.get(id)!
      expect([this.#lives(row.owner, now), this.#paused.has(name)]).toEqual([false, false])
      if (row.owner !== 0) {
        this.#mayStartAgain(id)
        const until = this.#processes.get(row.owner)?.until ?? now
        if (row.isNoted || row.due <= Math.min(until, now))
          this.#mayCount.set(id, (this.#mayCount.get(id) ?? 0) + 1)
      }
      Object.assign(row, { owner, claimed: row.data, isNoted: false, hasBegun: starts > 0 })
    }
  }
  #change(change: stores.Change, answer: stores.Changed, now: number): void {
    const { id, name, key, due, owner, data, rule, ifExists } = change
    const found = [...this.rows].find(([, row]) => key !== null && row.key === key && row.name === name)
    const [present = null, row] = found ?? []
    const how = row !== undefined && row.due < FAILED ? ifExists : undefined
    const mayRun = row !== undefined && row.owner !== 0 && row.due <= now
    const comesFirst = row !== undefined && (row.due <= now || row.hasBegun)
    const isRefused = how === 'keep' || (how === 'update' && comesFirst)
    expect(answer === null).toBe(present === null)
    expect(answer?.removed ?? null).toBe(isRefused ? null : present)
    if (present !== null && !isRefused) this.rows.delete(present)
    if (ifExists === 'clear') return
    expect(answer?.present?.id ?? null).toBe(isRefused ? present : how === 'update' ? id : null)
    const made = {
      ...{ name, key, at: due, due, owner, data, rule },
      ...{ again: null, marked: 0, hasBegun: false, claimed: data },
    }
    if (how !== 'keep' && how !== 'update') this.rows.set(id, made)
    else if (how === 'keep' && mayRun)
      Object.assign(row!, { again: Math.min(row!.again ?? due, due), marked: now })
    else if (how === 'update') {
      const isSame = row!.rule === rule
      const again = isSame ? Math.min(row!.again ?? 0, 0) : -due
      if (comesFirst) Object.assign(row!, { data, rule, again, marked: now })
      else this.rows.set(id, isSame ? { ...made, at: row!.at, due: row!.due } : made)
    }
  }
  /** When a row is due after its run because it was kept or updated meanwhile. */
  #dueAgain({ again, marked }: ModelRow, { id, from, next }: stores.End): number | null {
    const isFinal = next === null || next.due >= FAILED
    const isOver = isFinal || next.id !== id
    if (again === null || (again > 0 ? !isFinal || marked < from : !isOver)) return null
    return again === 0 ? (next?.id === id ? null : (next?.due ?? null)) : Math.abs(again)
  }
  #end(owner: number, end: stores.End, ended: stores.Ended): void {
    const { id, due, next, newId } = end
    const row = this.rows.get(id)
    expect(ended !== null).toBe(row?.owner === owner && row.due === due)
    if (ended === null || row === undefined) return
    this.rows.delete(id)
    const again = this.#dueAgain(row, end)
    expect(ended).toBe(again ?? 0)
    if (again !== null) {
      this.rows.set(newId, { ...row, at: again, due: again, owner: 0, again: null, hasBegun: false })
    } else if (next !== null) {
      const { at, due, owner, starts, watched } = next
      this.rows.set(next.id, { ...row, at, due, owner, hasBegun: starts > 0, isNoted: watched === 2 })
      this.#mayStartAgain(next.id)
    } else if (row.rule === null && !this.succeeded.has(id)) throw new Error(`${id} was lost`)
  }
}
