/** Who owns a timer: after lost answers, ends of leases, and deaths of processes. On both dialects. */
import { join } from 'node:path'
import { start } from '../../.tooling/child.cjs'
import { DurableError } from '../../lib/durable/common/errors.js'
import { START } from '../../lib/durable/common/rows.js'
import type { Change, Ref, Store } from '../../lib/durable/common/store.js'
import type { DurableRun } from '../../lib/durable/common/types.js'
import { makeEngine } from '../../lib/durable/engine/engine.js'
import { ROOT } from '../node/child.js'
import { temporaryFolder } from '../temporary-folder.js'
import { type Connect, onPostgres, onSqlite } from './connections.js'
import { newDatabase, type TestDatabase } from './database.js'
import { ignore, outputOfModule } from './helpers.js'
import { Process, World } from './world.js'

const folder = temporaryFolder()
let database: TestDatabase
beforeAll(async () => {
  database = await newDatabase()
}, 60_000)
afterAll(() => database.close())

let stores = 0
const newFile = () => onSqlite(join(folder, `${stores++}.db`))
const DIALECTS: [name: string, connect: () => Promise<Connect>][] = [
  ['SQLite', async () => newFile()],
  ['PostgreSQL', () => onPostgres(database, `owners_${stores++}`)],
]

const LEASE = 3_000
const HOW = { concurrency: 1, prefetch: 100, timeout: 1e6, retries: 0, backoff: 100, deaths: 3 }

let world: World
beforeEach(() => {
  world = new World(1)
  world.slowest = 4
})
afterEach(() => {
  for (const process of world.processes) process.stop()
})
const pass = (ms: number, process?: Process) =>
  new Promise<void>((resolve) => world.after(ms, process, resolve))

/** A handler whose timers succeed. */
const succeeding = (note: (run: DurableRun) => void) => (run: DurableRun) => {
  world.model.succeeded.add(run.id)
  note(run)
}

/** Runs `statement` in place of the statements of a process, which it can send. */
function intercept(
  { store }: Process,
  statement: (method: string, send: () => Promise<unknown>) => Promise<unknown>,
) {
  const { call } = store as { call: Store['call'] }
  store.call = ((method: never, args: never) => statement(method, () => call(method, args))) as Store['call']
}

/** Opens a store in a process, whose handler of the timers `a` is given. */
async function open(
  connect: Connect,
  handler?: (run: DurableRun) => unknown,
  { name = 'a', lease = LEASE, horizon = 1_000, pause = 500, ...how } = {} as Partial<
    typeof HOW & { name: string; lease: number; horizon: number; pause: number }
  >,
) {
  const process = new Process(world, await connect(world.now))
  const errors: string[] = []
  const onError = (error: Error) => errors.push((error as { code?: string }).code ?? error.message)
  const engine = makeEngine(process.store, process, { lease, horizon, pause, retention: Infinity, onError })
  engine.start().catch(ignore)
  await world.run(500)
  if (handler !== undefined) engine.on(name, handler as never, { ...HOW, ...how })
  const set = (key: string, delay: number) => {
    const due = world.now() + delay
    engine.set([{ name, key, due, data: null, rule: null, ifExists: 'replace' }]).catch(ignore)
  }
  return { process, engine, errors, set }
}

/** Rows that have failed for good. */
async function failedOf({ store }: Process): Promise<string[]> {
  const portion = store.call('portion', { name: 'a', low: [2 ** 51, ''], before: 2 ** 53 - 1, most: 10 })
  let keys: string[] = []
  portion.then(({ rows }) => {
    keys = rows.map(({ key, error }) => `${key}: ${error}`)
  })
  await world.run(500)
  return keys
}

/** A process is stopped for longer than its lease. */
async function outlast(process: Process): Promise<void> {
  process.isStopped = true
  await world.run(LEASE * 2)
  process.isStopped = false
}

it.each(DIALECTS)('aborts nothing and runs nothing twice at once after a lost answer: %s', async (_, at) => {
  const connect = await at()
  world.model.check = ignore
  const running = new Set<string>()
  let [starts, twice, aborted] = [0, 0, 0]
  const handler = async ({ key, signal }: DurableRun) => {
    starts++
    if (running.has(key!)) twice++
    running.add(key!)
    signal.addEventListener('abort', () => aborted++)
    await pass(LEASE * 2)
    running.delete(key!)
  }
  const first = await open(connect, handler, { concurrency: 5 })
  for (let i = 0; i < 5; i++) first.set(`${i}`, 0)
  await world.run(500)
  const second = await open(connect, handler, { concurrency: 5 })
  await world.run(200)
  // The answer to the next statement of the first process is lost.
  let isLost = false
  intercept(first.process, async (method, send) => {
    const answer = await send()
    if (method !== 'change' || isLost) return answer
    isLost = true
    throw new Error('no answer')
  })
  first.set('later', 1e6)
  await world.run(LEASE * 4)
  expect({ isLost, starts, twice, aborted }).toEqual({ isLost: true, starts: 5, twice: 0, aborted: 0 })
  expect(first.engine.stats().ran + second.engine.stats().ran).toBe(5)
})

it.each([0, 1_000])('shares the timers of a name due after %s ms with their setter', async (delay) => {
  world.model.check = ignore
  const connect = newFile()
  const shares = [0, 0]
  const handlers = shares.map((_, i) => () => {
    shares[i]!++
    return pass(200)
  })
  const opening = handlers.map((handler) => open(connect, handler, { concurrency: 10 }))
  const [setter] = await Promise.all(opening)
  // Each knows the other by now.
  await world.run(LEASE)
  for (let i = 0; i < 400; i++) setter!.set(`${i}`, delay)
  await world.run(delay + 6_000)
  expect(shares[0]! + shares[1]!).toBe(400)
  expect(Math.min(...shares)).toBeGreaterThan(80)
})

it('starts a timer on time that it gave back for others, of which there are none', async () => {
  const connect = newFile()
  const late: number[] = []
  const handler = succeeding(({ due }) => late.push(world.now() - due.getTime()))
  const how = { lease: 60_000, horizon: 8_000, pause: 8_000, prefetch: 1 }
  const first = await open(connect, handler, how)
  const second = await open(connect, ignore, { ...how, name: 'b' })
  first.set('k', 1_000)
  await world.run(200)
  // The first process looks for timers that the second may have left, and gives its own back meanwhile.
  second.engine.close(60_000).catch(ignore)
  await world.run(3_000)
  expect(late).toHaveLength(1)
  expect(late[0]).toBeLessThan(100)
})

it.each([7_000, 20_000])(
  'starts timers within a second when the clock is set forward, and none early when it is set back: %s ms',
  async (delay) => {
    const ran: string[] = []
    const handler = succeeding(({ key, due }) => {
      ran.push(world.now() < due.getTime() ? `${key} is early` : key!)
    })
    // No claim and no renewal of the lease hides that the alarms look at the clock.
    const { set } = await open(newFile(), handler, { lease: 60_000, horizon: 8_000, pause: 60_000 })
    set('forward', delay)
    await world.run(500)
    world.setClock(delay)
    await world.run(1_500)
    expect(ran).toEqual(['forward'])
    set('back', 5_000)
    await world.run(500)
    world.setClock(-2_000)
    await world.run(6_000)
    expect(ran).toEqual(['forward'])
    await world.run(1_000)
    expect(ran).toEqual(['forward', 'back'])
  },
)

it.each(DIALECTS)('counts no abort by the end of a lease as a failure: %s', async (_, at) => {
  const reasons: unknown[] = []
  const attempts: number[] = []
  const { process, errors, set } = await open(await at(), ({ signal, attempt, id }) => {
    if (attempts.push(attempt) === 2) return void world.model.succeeded.add(id)
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(reasons.push(signal.reason.code))),
    )
  })
  set('k', 0)
  await world.run(500)
  await outlast(process)
  await world.run(LEASE)
  const lapsed = ['ERR_DURABLE_LEASE']
  expect({ reasons, attempts, errors }).toEqual({ reasons: lapsed, attempts: [1, 2], errors: lapsed })
  expect(await failedOf(process)).toEqual([])
})

it('goes on with a name after the end of a lease in which its timers were due', async () => {
  world.model.check = ignore
  const connect = newFile()
  const ran: unknown[] = []
  const first = await open(connect, ({ key }) => void ran.push(key))
  // Another process lives, so that the first claims no more than it can start.
  await open(connect)
  await world.run(LEASE)
  intercept(first.process, async (method, send) => {
    if (method === 'beat') await pass(60, first.process)
    return send()
  })
  // The lease ends while a start waits for news.
  first.set('waits', 30)
  await world.run(50)
  await outlast(first.process)
  await world.run(LEASE * 2)
  expect(ran).toEqual(['waits'])
})

it.each(DIALECTS)('ends a timer that ends its process again and again, and no other: %s', async (_, at) => {
  const connect = await at()
  const attempts: number[] = []
  let innocent = 0
  let victim: Process | undefined
  for (let i = 0; i < 7; i++) {
    const { process, set } = await open(connect, ({ key, attempt, id }) => {
      if (key === 'innocent') {
        innocent = attempt
        return void world.model.succeeded.add(id)
      }
      attempts.push(attempt)
      victim!.stop()
      return new Promise(() => {})
    })
    victim = process
    // The second waits behind the other, and has not started when its process ends.
    if (i === 0) for (const [n, key] of ['poison', 'innocent'].entries()) set(key, 100 + n)
    await world.run(LEASE * 2)
  }
  // The first death is not counted: nobody knows whether the process had started the timer.
  expect({ attempts, innocent }).toEqual({ attempts: [1, 2, 3, 4], innocent: 2 })
  const { process } = await open(connect)
  const message = 'poison: at least 3 processes have ended while the handler of "a" ran'
  expect((await failedOf(process)).filter((text) => text.startsWith('poison'))).toEqual([message])
})

it('holds a timer that a claim brings again, although a statement is under way that is older than its loss', async () => {
  const { process, engine, set } = await open(newFile(), ignore, { horizon: 5_000 })
  set('comes back', 3_000)
  await world.run(500)
  intercept(process, async (method, send) => {
    const answer = await send()
    if (method === 'change') await pass(1e6, process)
    if (method === 'end') throw new Error('no answer')
    return answer
  })
  set('later', 1e6)
  await world.run(100)
  // It gives the timer back, and does not know that this is stored.
  engine.off('a')
  await world.run(1_000)
  const ran: unknown[] = []
  engine.on('a', succeeding(({ key }) => ran.push(key)) as never, HOW)
  await world.run(3_000)
  expect(ran).toEqual(['comes back'])
})

it('reads again what another process tells it, if the first statement fails', async () => {
  const connect = newFile()
  const how = { lease: 60_000, pause: 60_000 }
  let lateness: number | undefined
  const handler = succeeding(({ due }) => {
    lateness = world.now() - due.getTime()
  })
  const { process, errors } = await open(connect, handler, how)
  const second = await open(connect, undefined, how)
  let isLocked = true
  intercept(process, async (method, send) => {
    if (!isLocked || method !== 'beat') return send()
    isLocked = false
    throw new DurableError('ERR_DURABLE_UNAVAILABLE', 'locked')
  })
  second.set('k', 500)
  await world.run(2_000)
  expect(errors).toEqual(['ERR_DURABLE_UNAVAILABLE'])
  expect(lateness).toBeLessThan(100)
})

it.each(DIALECTS)('gives back what it claims while it closes: %s', async (_, at) => {
  const connect = await at()
  const first = await open(connect)
  first.set('k', 0)
  await world.run(500)
  intercept(first.process, async (method, send) => {
    const answer = await send()
    if (method === 'claim') await pass(200, first.process)
    return answer
  })
  const attempts: number[] = []
  const handler = succeeding(({ attempt }) => attempts.push(attempt))
  first.engine.on('a', handler as never, HOW)
  await world.run(100)
  first.engine.close(10_000).catch(ignore)
  await world.run(1_000)
  await open(connect, handler)
  await world.run(500)
  expect(attempts).toEqual([1])
})

it('takes over at once what a process of the same machine held that has been killed', async () => {
  const program = `
    import { DurableTimers } from 'timeout-wheel/durable'
    const timers = await DurableTimers.open(process.argv[1])
    if (process.argv[2] === 'die') {
      timers.on('a', () => {})
      await timers.set('a', { delay: 300 })
      process.kill(process.pid, 'SIGKILL')
    }
    console.log(await new Promise((resolve) => timers.on('a', ({ due }) => resolve(Date.now() - due))))
    await timers.close()
  `
  const path = join(folder, 'killed.db')
  const args = ['--no-warnings', '--input-type=module', '--eval', program, path, 'die']
  expect((await start(process.execPath, args, { limit: 60_000, cwd: ROOT }).ended).signal).toBe('SIGKILL')
  // By default, the lease of the first would have lasted 15 s.
  const limit = process.platform === 'linux' ? 5_000 : 20_000
  expect(Number(await outputOfModule(program, [path]))).toBeLessThan(limit)
})

it.each(DIALECTS)('lets a join that comes late take no timer that was given up since: %s', async (_, at) => {
  const { call } = await (await at())(world.now)
  const place = { boot: null, space: null, pid: 1, began: null }
  const join = (owner: number, former: number[], held: Ref[]) =>
    call('join', { owner, former, held, lease: LEASE, horizon: 1_000, place })
  await join(1, [], [])
  const row = { name: 'a', id: 'id', due: world.now() }
  const change: Change = { ...row, key: null, data: null, rule: null, owner: 1, ifExists: 'replace' }
  await call('change', { owner: 1, changes: [change], isWhole: true })
  await join(3, [1, 2], [])
  expect(await join(2, [1], [row])).toMatchObject({ lost: ['id'] })
  const name = { name: 'a', low: START, horizon: 0, most: 10, bytes: 1_000 }
  expect(await call('claim', { owner: 3, names: [name] })).toMatchObject([{ rows: [{ id: 'id' }] }])
})

it.each(DIALECTS)('runs nothing twice after a stop of a process that held the lock: %s', async (_, at) => {
  const connect = await at()
  world.model.check = ignore
  const starts: string[] = []
  const handler = succeeding(({ key }) => starts.push(key!))
  const first = await open(connect, handler, { horizon: 10_000 })
  const second = await open(connect, handler, { concurrency: 10, horizon: 10_000 })
  for (let i = 0; i < 10; i++) second.set(`${i}`, 2_000)
  await world.run(1_500)
  // The second process runs what it holds, and waits for the lock to store that.
  let isLocked = true
  intercept(second.process, async (_, send) => {
    while (isLocked) await pass(100)
    return send()
  })
  const joins: number[] = []
  intercept(first.process, async (method, send) => {
    if (method === 'join' && joins.push(world.now()) < 3)
      throw new DurableError('ERR_DURABLE_UNAVAILABLE', '')
    return send()
  })
  first.process.isStopped = true
  await world.run(LEASE * 2)
  expect(starts).toHaveLength(10)
  first.process.isStopped = isLocked = false
  await world.run(LEASE * 3)
  expect(starts).toHaveLength(10)
  // It has let others go first once.
  expect(joins[2]! - joins[0]!).toBeLessThan(1_000)
})
