/** Random calls of two stores, one of each dialect, get the same answers. TIMEOUT_WHEEL_SEED=n replays them. */
import { clearing, FAILED, refOf, START } from '../../lib/durable/common/rows.js'
import type {
  Args,
  Change,
  ClaimedOf,
  End,
  Joined,
  Method,
  News,
  Position,
  Ref,
  Row,
} from '../../lib/durable/common/store.js'
import { openPostgres } from '../../lib/durable/postgres/postgres-store.js'
import { makeDatabase } from '../../lib/durable/sqlite/database.js'
import { newSeed, randomFrom } from '../contract/random.js'
import { scaled } from '../scale.js'
import { setOwnClock } from './connections.js'
import { newDatabase } from './database.js'

let now = 1.7e12
const NAMES = ['a', 'b', 'c']
const STEPS = scaled(200, 2_000)
const PLACE = { boot: 'boot', space: 'space', pid: 1, began: '2' }

const sorted = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((one) => `${one}`).sort() : value

/** PostgreSQL tells of more rows, because others see them only after the commit. */
const comparable = (method: Method, answer: unknown): unknown => {
  if (method === 'remove') return sorted(answer)
  if (method !== 'join' && method !== 'beat') return answer
  const { others, messages, paused, ...more } = (answer ?? {}) as Partial<Joined & News>
  const lost = messages?.map(({ id }) => id).filter((id) => id !== '')
  const peers = others?.sort((a, b) => a.owner - b.owner)
  return { ...more, others: peers, lost: sorted(lost), paused: sorted(paused) }
}

async function compare(seed: number): Promise<void> {
  const random = randomFrom(seed)
  const here = { path: ':memory:', table: 'timers', now: () => now }
  const database = makeDatabase(here)
  const postgres = await newDatabase()
  const store = await openPostgres(postgres.client, { schema: 'timeout_wheel', table: 'timers' })
  const setTime = await setOwnClock(postgres, 'timers')
  const held: { owner: number; row: Row }[] = []
  const failed: string[] = []
  let owners: number[] = []
  let [ids, numbers] = [0, 0]

  async function both<M extends Method>(method: M, args: Args<M>) {
    const first = database[method](args as never)
    const second = await store.call(method, args)
    expect([method, comparable(method, second)]).toEqual([method, comparable(method, first)])
    return second
  }
  const pick = <T>(values: readonly T[]): T => values[random.below(values.length)]!
  const due = (): number => now + random.below(3_000) - 1_000
  const newId = (): string => `id${String(ids++).padStart(8, '0')}`

  /** @param owner a process holds what it sets itself, or nobody does */
  function changes(owner: number): Change[] {
    const all = Array.from({ length: 1 + random.below(5) }, (): Change => {
      const [name, key] = [pick(NAMES), random.below(5) === 0 ? null : `key${random.below(8)}`]
      if (random.below(4) === 0 && key !== null) return clearing(name, key)
      const ifExists = pick(['replace', 'keep', 'throw', 'update'] as const)
      const rule = ifExists === 'update' ? pick(['{"every":1}', '{"every":2}']) : null
      const data = random.below(2) === 0 ? null : JSON.stringify(`"\0\ud83d\ude00'${random.below(9)}`)
      const change = { id: newId(), due: due(), name, key, data, rule, ifExists }
      return { ...change, owner: rule === null ? random.below(2) * owner : 0 }
    })
    const textOf = ({ name, key }: Change) => (key === null ? undefined : `${name} ${key}`)
    return all.filter(
      (one, i) => textOf(one) === undefined || all.findIndex((other) => textOf(other) === textOf(one)) === i,
    )
  }

  const ends = (): [owner: number, End[]] => {
    const owner = held[0]!.owner
    const some = held.splice(0, 1 + random.below(5)).filter((one) => one.owner === owner)
    return [
      owner,
      some.map(({ row }): End => {
        const { id, name, due: was, key } = row
        const end = { id, name, due: was, key, from: now - random.below(500), newId: newId() }
        const again = random.below(4)
        if (again === 0) return { ...end, next: null }
        if (again === 1) failed.push(id)
        if (again === 3) return { ...end, next: { ...row, watched: 2, owner } }
        const next = {
          ...row,
          id: again === 2 && random.below(2) === 0 ? newId() : id,
          due: again === 1 ? FAILED + now : due(),
          failures: row.failures + 1,
          error: 'why',
        }
        return { ...end, next: { ...next, owner: again === 1 ? 0 : random.below(2) * owner } }
      }),
    ]
  }

  async function join(former: number[], some: Ref[]): Promise<void> {
    const owner = ++numbers
    const lease = 1_000 + random.below(3_000)
    await both('join', { owner, former, lease, horizon: 500, place: PLACE, held: some })
    owners.push(owner)
  }

  for (let step = 0; step < STEPS; step++) {
    now += random.below(200)
    if (random.below(50) === 0) now -= random.below(2_000)
    await setTime(now)
    if (owners.length === 0 || random.below(20) === 0) await join([], [])
    const owner = pick(owners)
    const what = random.below(15)
    if (what === 0 && failed.length > 0) await both('retry', { id: pick(failed), due: now })
    else if (what < 3 && held.length > 0) {
      const [owner, some] = ends()
      await both('end', { owner, ends: some, isWhole: some.length === 1 })
    } else if (what < 7) {
      const isWhole = random.below(4) === 0
      await both('change', { owner, changes: changes(owner), isWhole })
    } else if (what < 10) {
      const low: Position = random.below(2) === 0 ? START : [now - random.below(1_000), '']
      const names = NAMES.slice(random.below(3)).map((name) => {
        const horizon = random.below(2) * 500
        return { name, low, horizon, most: 1 + random.below(5), bytes: random.below(2_000) }
      })
      const claimed = (await both('claim', { owner, names })) as ClaimedOf[] | null
      for (const row of claimed?.flatMap(({ rows }) => rows) ?? []) held.push({ owner, row })
    } else if (what === 10) await both('beat', { owner, lease: null })
    else if (what === 11) await both('beat', { owner, lease: 1_000 + random.below(3_000) })
    else if (what === 13) {
      owners = owners.filter((one) => one !== owner)
      // A process holds no row twice.
      await join([owner], [...new Map(held.slice(0, 3).map(({ row }) => [row.id, refOf(row)])).values()])
    } else if (what === 14 && random.below(3) === 0) {
      await both('beat', { owner, lease: 0 })
      if (random.below(2) === 0) owners = owners.filter((one) => one !== owner)
    } else if (what === 12 && random.below(3) === 0)
      await both('pause', { name: pick(NAMES), isPaused: random.below(4) === 0 })
    else if (what === 12 && random.below(2) === 0)
      await both('remove', { owner, rows: held.splice(0, 3).map(({ row }) => refOf(row)) })
    const part = { name: pick(NAMES), low: START, before: random.below(2) === 0 ? FAILED * 2 : now }
    await both('portion', { ...part, most: 1 + random.below(20) })
    await both('count', { from: part.name, to: pick(NAMES) })
    await both('names', {})
    await both('get', { name: pick(NAMES), key: `key${random.below(8)}` })
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
