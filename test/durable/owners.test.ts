/** Who owns a timer: after lost answers, ends of leases, and deaths of processes. On both dialects. */
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { outputOf, start } from '../../.tooling/child.cjs'
import type { Store } from '../../lib/durable/common/store.js'
import type { DurableRun } from '../../lib/durable/common/types.js'
import { Engine } from '../../lib/durable/engine/engine.js'
import { temporaryFolder } from '../temporary-folder.js'
import { type Connect, onPostgres, onSqlite } from './connections.js'
import { newDatabase, type TestDatabase } from './database.js'
import { Process, World } from './world.js'

const folder = temporaryFolder()
let database: TestDatabase
beforeAll(async () => {
  database = await newDatabase()
}, 60_000)
afterAll(() => database.close())

let stores = 0
const DIALECTS: [name: string, connect: () => Promise<Connect>][] = [
  ['SQLite', async () => onSqlite(join(folder, `${stores++}.db`))],
  ['PostgreSQL', () => onPostgres(database, `owners_${stores++}`)],
]

const ignore = (): void => {}
const LEASE = 3_000
const HOW = { concurrency: 1, prefetch: 100, timeout: 1e6, retries: 0, backoff: 100, deaths: 3 }

/** Opens a store in a process, whose handler of the timers `a` is given. */
async function open(world: World, connect: Connect, handler?: (run: DurableRun) => unknown, concurrency = 1) {
  const process = new Process(world, await connect(world.now))
  const errors: string[] = []
  const onError = (error: Error) => errors.push((error as { code?: string }).code ?? error.message)
  const options = { lease: LEASE, horizon: 1_000, pause: 500, retention: Infinity, onError }
  const engine = new Engine(process.store, process, options)
  engine.start().catch(ignore)
  await world.run(500)
  if (handler !== undefined) engine.on('a', handler as never, { ...HOW, concurrency })
  const set = (key: string, delay: number) =>
    engine
      .set([
        { name: 'a', key, due: world.now() + delay, data: null, rule: null, ifExists: 'replace' as const },
      ])
      .catch(ignore)
  return { process, engine, errors, set }
}

/** Rows that have failed for good. */
async function failedOf({ store }: Process, world: World): Promise<string[]> {
  const portion = store.call('portion', { name: 'a', low: [2 ** 51, ''], before: 2 ** 53 - 1, most: 10 })
  let keys: string[] = []
  portion.then(({ rows }) => {
    keys = rows.map(({ key, error }) => `${key}: ${error}`)
  })
  await world.run(500)
  return keys
}

const quiet = (): World => {
  const world = new World(1)
  world.slowest = 4
  return world
}

it.each(DIALECTS)(
  'aborts nothing, and runs nothing twice at once, after a lost answer on %s',
  async (_, connection) => {
    const world = quiet()
    const connect = await connection()
    world.model.check = ignore
    world.model.check = ignore
    const running = new Map<string, number>()
    let [starts, twice, aborted] = [0, 0, 0]
    const handler = ({ key, signal }: DurableRun) => {
      starts++
      running.set(key!, (running.get(key!) ?? 0) + 1)
      if (running.get(key!)! > 1) twice++
      signal.addEventListener('abort', () => aborted++)
      return new Promise<void>((resolve) => {
        world.after(LEASE * 2, undefined, () => {
          running.set(key!, running.get(key!)! - 1)
          resolve()
        })
      })
    }
    const first = await open(world, connect, handler, 5)
    for (let i = 0; i < 5; i++) first.set(`${i}`, 0)
    await world.run(500)
    const second = await open(world, connect, handler, 5)
    await world.run(200)
    // The answer to the next statement of the first process is lost.
    const { call } = first.process.store as { call: Store['call'] }
    let isLost = false
    first.process.store.call = ((method: never, args: never) =>
      method === 'change' && !isLost
        ? call(method, args).then(() => {
            isLost = true
            throw new Error('no answer')
          })
        : call(method, args)) as Store['call']
    first.set('later', 1e6)
    await world.run(LEASE * 4)
    expect({ isLost, starts, twice, aborted }).toEqual({ isLost: true, starts: 5, twice: 0, aborted: 0 })
    expect(first.engine.stats().ran + second.engine.stats().ran).toBe(5)
    for (const process of world.processes) process.stop()
  },
)

it.each([0, 1_000])(
  'shares the timers of a name that are due after %s ms with the process that sets them',
  async (delay) => {
    const world = quiet()
    world.model.check = ignore
    const connect = await DIALECTS[0]![1]()
    const shares = [0, 0]
    const opened = await Promise.all(
      shares.map((_, i) =>
        open(
          world,
          connect,
          () => {
            shares[i]!++
            return new Promise<void>((resolve) => world.after(200, undefined, resolve))
          },
          10,
        ),
      ),
    )
    // Each knows the other by now.
    await world.run(LEASE)
    for (let i = 0; i < 400; i++) opened[0]!.set(`${i}`, delay)
    await world.run(delay + 6_000)
    expect(shares[0]! + shares[1]!).toBe(400)
    expect(Math.min(...shares)).toBeGreaterThan(80)
    for (const process of world.processes) process.stop()
  },
)

it.each(DIALECTS)('counts no abort by the end of a lease as a failure on %s', async (_, connection) => {
  const world = quiet()
  const reasons: unknown[] = []
  const attempts: number[] = []
  const { process, errors, set } = await open(world, await connection(), ({ signal, attempt, id }) => {
    if (attempts.push(attempt) === 2) {
      world.model.succeeded.add(id)
      return undefined
    }
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(reasons.push(signal.reason.code))),
    )
  })
  set('k', 0)
  await world.run(500)
  process.isStopped = true
  await world.run(LEASE * 2)
  process.isStopped = false
  await world.run(LEASE)
  expect({ reasons, attempts, errors }).toEqual({
    reasons: ['ERR_DURABLE_LEASE'],
    attempts: [1, 2],
    errors: ['ERR_DURABLE_LEASE'],
  })
  expect(await failedOf(process, world)).toEqual([])
  process.stop()
})

it('goes on with a name after the end of a lease in which its timers were due', async () => {
  const world = quiet()
  world.model.check = ignore
  const connect = await DIALECTS[0]![1]()
  const ran: unknown[] = []
  const first = await open(world, connect, ({ key }) => void ran.push(key))
  // Another process lives, so that the first claims no more than it can start.
  await open(world, connect)
  await world.run(LEASE)
  const { call } = first.process.store
  first.process.store.call = (async (method: never, args: never) => {
    if (method === 'news') await new Promise<void>((resolve) => world.after(60, first.process, resolve))
    return call(method, args)
  }) as Store['call']
  // The lease ends while a start waits for news.
  first.set('waits', 30)
  await world.run(50)
  first.process.isStopped = true
  await world.run(LEASE * 2)
  first.process.isStopped = false
  await world.run(LEASE * 2)
  expect(ran).toEqual(['waits'])
  for (const process of world.processes) process.stop()
})

it.each(DIALECTS)(
  'ends a timer that ends its process again and again, and no other, on %s',
  async (_, connection) => {
    const world = quiet()
    const connect = await connection()
    const attempts: number[] = []
    let innocent = 0
    let victims: Process[] = []
    for (let i = 0; i < 7; i++) {
      const { process, set } = await open(world, connect, ({ key, attempt, id }) => {
        if (key === 'innocent') {
          innocent = attempt
          world.model.succeeded.add(id)
          return undefined
        }
        attempts.push(attempt)
        victims[0]!.stop()
        return new Promise(() => {})
      })
      victims = [process]
      if (i === 0) {
        set('poison', 100)
        // It waits behind the other, and has not started when its process ends.
        set('innocent', 101)
      }
      await world.run(LEASE * 2)
    }
    // The first death is not counted: nobody knows whether the process had started the timer.
    expect({ attempts, innocent }).toEqual({ attempts: [1, 2, 3, 4], innocent: 2 })
    const { process } = await open(world, connect)
    const message = 'poison: at least 3 processes have ended while the handler of "a" ran'
    expect((await failedOf(process, world)).filter((text) => text.startsWith('poison'))).toEqual([message])
    process.stop()
  },
)

it('takes over at once what a process of the same machine held that has been killed', async () => {
  const program = `
    import { DurableTimers } from 'timeout-wheel/durable'
    const timers = await DurableTimers.open(process.argv[1])
    const late = process.argv[2] === 'die' ? undefined : new Promise((resolve) => {
      timers.on('a', ({ due }) => resolve(Date.now() - due))
    })
    if (late === undefined) {
      timers.on('a', () => {})
      await timers.set('a', { delay: 300 })
      process.kill(process.pid, 'SIGKILL')
    }
    console.log(await late)
    await timers.close()
  `
  const path = join(folder, 'killed.db')
  const node = ['--no-warnings', '--input-type=module', '--eval', program, path]
  const options = { limit: 60_000, cwd: join(__dirname, '../..') }
  const died = await start(process.execPath, [...node, 'die'], options).ended
  expect(died.signal).toBe('SIGKILL')
  const late = await outputOf(process.execPath, [...node, 'live'], options)
  // By default, the lease of the first would have lasted 15 s.
  expect(Number(late)).toBeLessThan(process.platform === 'linux' ? 5_000 : 20_000)
})
