/** Random calls of two stores, one of each dialect, get the same answers. TIMEOUT_WHEEL_SEED=n replays them. */
import { expect, it } from '@jest/globals'
import {
  type Change,
  type End,
  FAILED,
  LONGEST_LEASE,
  type Position,
  type Row,
  START,
} from '../../lib/durable/common/store.js'
import { PostgresStore } from '../../lib/durable/postgres/postgres-store.js'
import { Database } from '../../lib/durable/sqlite/database.js'
import { newSeed, randomFrom } from '../contract/random.js'
import { scaled } from '../scale.js'
import { setOwnClock } from './connections.js'
import { newDatabase } from './database.js'

type Method = keyof Database & keyof PostgresStore

let now = 1.7e12
const NAMES = ['a', 'b', 'c']
const STEPS = scaled(200, 2_000)

/** Numbers the ids and fences of a store in the order in which they appear, so that those of two stores can be compared. */
class Ids {
  readonly #names = new Map<number, number>()

  name(id: number): number {
    if (!this.#names.has(id)) this.#names.set(id, this.#names.size)
    return this.#names.get(id)!
  }

  rename(value: unknown, key = ''): unknown {
    if (Array.isArray(value) && (key === 'upTo' || key === 'next'))
      return [value[0], value[1] === Number.MAX_SAFE_INTEGER ? 'all' : this.name(value[1])]
    if (Array.isArray(value) && key === 'lost') return value.map((one) => this.name(one)).sort()
    if (Array.isArray(value)) return value.map((one) => this.rename(one, key))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value)
          .filter(([name, one]) => one !== undefined && name !== 'now' && name !== 'owner')
          .map(([name, one]) => [name, this.rename(one, name)]),
      )
    return ['id', 'removed'].includes(key) ? this.name(value as number) : value
  }
}

const keyOf = (one: Change): string =>
  JSON.stringify(one.kind === 'set' ? [one.row.name, one.row.key] : [one.name, one.key])
/** If one call removes a row that nobody holds and makes it again, only SQLite tells of the removal. This leaves out the removal. */
const comparable = (all: readonly Change[]): Change[] => {
  const removes = (one: Change, other: Change) =>
    other.kind === 'set' && other.row.owner === 0 && keyOf(other) === keyOf(one)
  return all.filter((one, i) => !all.slice(0, i).some((other) => removes(one, other)))
}

async function compare(seed: number): Promise<void> {
  const random = randomFrom(seed)
  const here = { path: ':memory:', table: 'timers', now: () => now, longestLease: LONGEST_LEASE }
  const database = new Database(here)
  const postgres = await newDatabase()
  const store = await PostgresStore.open(postgres.client, 'timers')
  const setTime = await setOwnClock(postgres, 'timers')
  const ids = [new Ids(), new Ids()] as const
  /** What each store has claimed, in pairs. */
  const held: { owner: number; rows: readonly [Row, Row] }[] = []
  /** What may have failed in each store. */
  const failed: (readonly [Row, Row])[] = []
  let processes: number[] = []

  /** Calls a method of each store. @param argsOf the arguments for the store with this index */
  async function both(method: Method, argsOf: (i: 0 | 1) => unknown[]): Promise<[unknown, unknown]> {
    const first = Reflect.apply(Reflect.get(database, method) as () => unknown, database, argsOf(0))
    const second = await Reflect.apply(Reflect.get(store, method) as () => unknown, store, argsOf(1))
    const same = [ids[0].rename(first), ids[1].rename(second)] as { soon?: number }[]
    if (method === 'news') {
      // PostgreSQL tells of more rows, because others see them only after the commit.
      const [least = 0, told = 0] = [same[1]!.soon, same[0]!.soon]
      expect(told === 0 || (least > 0 && least <= told)).toBe(true)
      for (const one of same) delete one.soon
    }
    expect([method, same[1]]).toEqual([method, same[0]])
    return [first, second]
  }
  const alike = (method: Method, ...args: unknown[]) => both(method, () => args)
  const pick = <T>(values: readonly T[]): T => values[random.below(values.length)]!
  const due = (): number => now + random.below(3_000) - 1_000

  /** @param process a process holds what it sets itself, or nobody does */
  const changes = (process: number): Change[] =>
    Array.from({ length: 1 + random.below(5) }, () => {
      const [name, key] = [pick(NAMES), random.below(5) === 0 ? null : `key${random.below(8)}`]
      if (random.below(4) === 0 && key !== null) return { kind: 'clear', name, key }
      const ifExists = pick(['replace', 'keep', 'throw'] as const)
      const data = random.below(2) === 0 ? null : JSON.stringify(`"\0\ud83d\ude00'${random.below(9)}`)
      const owner = random.below(2) === 0 ? 0 : process
      return { kind: 'set', row: { due: due(), name, key, data, rule: null, owner, ifExists } }
    })

  /** The same ends of what each store has claimed. */
  const ends = () =>
    held.splice(0, 1 + random.below(5)).map(({ owner, rows }) => {
      const again = random.below(3)
      if (again === 1) failed.push(rows)
      const next = { due: due(), tries: 1, error: 'why', owner: random.below(2) * owner, id: undefined }
      const never = { due: FAILED + now, tries: 1, error: 'why', owner: 0 }
      return rows.map(({ due, id, fence, name, key }): End => {
        const own = { due, id, fence, name, key, owner }
        return { ...own, next: again === 0 ? undefined : again === 1 ? { ...never, id } : next }
      })
    })

  for (let step = 0; step < STEPS; step++) {
    now += random.below(200)
    await setTime(now)
    if (processes.length === 0 || random.below(20) === 0) {
      const [joined] = await alike('join', 1_000 + random.below(3_000), 500)
      processes.push((joined as { number: number }).number)
    }
    const owner = pick(processes)
    const what = random.below(12)
    if (what > 10 && failed.length > 0) {
      const rows = pick(failed)
      await both('retry', (i) => [owner, rows[i].id, now])
    } else if (what > 8 && held.length > 0) {
      const pairs = ends()
      await both('end', (i) => [owner, pairs.map((pair) => pair[i])])
    } else if (what < 4) await alike('change', owner, comparable(changes(owner)))
    else if (what < 6) {
      const low: Position = random.below(2) === 0 ? START : [now - random.below(1_000), 0]
      const [names, most] = [NAMES.slice(random.below(3)), 1 + random.below(5)]
      const claimed = await alike('claim', { owner, names, low, horizon: 500, bound: FAILED - 1, most })
      const [first, second] = claimed.map((one) => (one as { rows: Row[] }).rows)
      for (const [i, row] of first!.entries()) held.push({ owner, rows: [row, second![i]!] })
    } else if (what === 6) await alike('news', owner)
    else if (what === 7) await alike('beat', owner, 1_000 + random.below(3_000))
    else if (random.below(4) === 0) {
      await alike('leave', owner)
      processes = processes.filter((one) => one !== owner)
    }
    const upTo = random.below(2) === 0 ? FAILED * 2 : now
    await alike('portion', START, upTo, random.below(2) === 0 ? undefined : pick(NAMES))
    await alike('count', START, FAILED)
    await alike('get', pick(NAMES), `key${random.below(8)}`)
    if (random.below(20) === 0) await alike('forget', now - random.below(500))
  }
  await store.close()
  await postgres.close()
  database.close()
}

it('answers the same calls alike on SQLite and on PostgreSQL', () => {
  const seed = newSeed()
  return compare(seed).catch((error) => {
    throw new Error(`TIMEOUT_WHEEL_SEED=${seed} fails`, { cause: error })
  })
}, 120_000)
