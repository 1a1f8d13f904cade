/** Durable timers in PostgreSQL, on PGlite: what this database alone has. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import type { DurableError, DurableOptions, DurableRun } from 'timeout-wheel/durable'
import { DurableTimers, postgres } from 'timeout-wheel/durable'
import { ask } from '../../lib/durable/postgres/ask.js'
import { listen } from '../../lib/durable/postgres/listener.js'
import { makeServerClock } from '../../lib/durable/postgres/server-clock.js'
import { scaled } from '../scale.js'
import { fail, ignore, keysOf, openStores, rowsOf, until } from './helpers.js'

let database: PGlite
beforeAll(async () => {
  database = await PGlite.create()
}, 60_000)
afterAll(() => database.close())

const { open: openStore } = openStores()
const open = (options: DurableOptions = {}): Promise<DurableTimers> =>
  openStore(postgres(database), { onError: ignore, ...options })

/** Gets the name of the function of the database that a query calls, such as claim, and makes the query by `ask`. */
type Pass = (name: string | undefined, ask: () => Promise<unknown>, params: unknown[]) => Promise<unknown>

/** Opens a store whose queries pass through a function. Errors that it reports are ignored. */
async function openThrough(table: string, pass: Pass, options: DurableOptions = {}, more = {}) {
  const query = (text: string, params: unknown[]) => {
    const name = RegExp(`^SELECT "timeout_wheel"."${table}_(\\w+)_1"`).exec(text)?.[1]
    return pass(name, () => database.query(text, params), params) as ReturnType<typeof database.query>
  }
  return openStore(postgres({ query, ...more }), { table, onError: ignore, ...options })
}

/** Fulfilled with what the handler gets. */
const run = (timers: DurableTimers, name: string): Promise<unknown[]> =>
  new Promise((resolve) => {
    timers.on(name, ({ key, data, due }) => resolve([key, data, Date.now() >= due.getTime()]))
  })

it('runs a timer in another process that has the handler, at once after it is told of it', async () => {
  const [runner, setter] = [await open({ horizon: 60_000 }), await open()]
  const ran = run(runner, 'told')
  await setter.set('told', { key: 'k', delay: 50, data: ['ü', '\0', 1.5, null] })
  expect(await ran).toEqual(['k', ['ü', '\0', 1.5, null], true])
})

it.each([true, false])('holds what it sets beside others, hears news unless told: %s', async (isTold) => {
  const calls: unknown[] = []
  const count = (name: string) => calls.filter((one) => one === name).length
  const note: Pass = (name, ask) => {
    calls.push(name)
    return ask()
  }
  const table = `beside_${isTold}`
  await open({ table })
  // Behind pgbouncer, nothing comes.
  const listen = isTold ? database.listen.bind(database) : async () => ignore
  const timers = await openThrough(table, note, { horizon: 60_000 }, { listen })
  let ran = 0
  timers.on('a', () => ran++)
  // The first claim takes what is due, the second what is due soon.
  await until(() => count('claim') === 2)
  calls.length = 0
  for (let i = 1; i <= 10; await sleep(25)) {
    await timers.set('a', { delay: 0 })
    await until(() => ran === i)
    i++
  }
  expect([count('claim'), count('beat') >= 10, count('beat') < 5]).toEqual([0, !isTold, isTold])
})

it('tells others only of timers that are due soon', async () => {
  const options = { table: 'telling' }
  const [runner, setter] = [await open(options), await open(options)]
  const ran = run(runner, 'a')
  await database.exec(`CREATE TABLE told (); CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO public.told DEFAULT VALUES; RETURN NULL; END';
    CREATE TRIGGER note AFTER INSERT ON timeout_wheel.telling_message FOR EACH ROW EXECUTE FUNCTION note()`)
  const count = async () =>
    (await database.query<{ n: number }>('SELECT count(*)::integer AS n FROM told')).rows[0]!.n
  const days = 3 * 24 * 3_600_000
  await setter.setMany('a', rowsOf(keysOf(50), days))
  await setter.set('a', { key: 'in a transaction', delay: days, db: database })
  expect(await count()).toBe(0)
  // One message for all of them.
  await setter.setMany('a', rowsOf(keysOf(50), 4_000))
  expect(await count()).toBe(1)
  await setter.set('a', { key: 'soon', delay: 0 })
  expect(await ran).toMatchObject(['soon', undefined, true])
})

it('does not run a timer again that was replaced while the answer to its acknowledgement was under way', async () => {
  let [ends, isLate] = [0, true]
  const timers = await openThrough('slow', async (name, ask) => {
    const result = await ask()
    if (name === 'end' && ++ends > 0) await until(() => !isLate)
    return result
  })
  let ran = 0
  timers.on('a', () => void ran++)
  await timers.set('a', { key: 'k', every: 20 })
  await until(() => ends > 0)
  await timers.set('a', { key: 'k', delay: 60_000 })
  isLate = false
  await sleep(50)
  expect(ran).toBe(1)
})

it('calls query in the context of the call that needs the statement alone, and else without a store', async () => {
  const context = new AsyncLocalStorage<string>()
  const seen = new Set<string>()
  const timers = await context.run('open', () =>
    openThrough('contexts', (name, ask) => {
      seen.add(`${name}: ${context.getStore()}`)
      context.enterWith('query')
      return ask()
    }),
  )
  expect([...seen].sort()).toEqual(['beat: undefined', 'join: open', 'time: open', 'undefined: open'])
  seen.clear()
  const ran = context.run('on', () => run(timers, 'a'))
  await context.run('set', () => timers.set('a', { key: 'k', delay: 1 }))
  await ran
  await until(() => seen.has('end: undefined'))
  await context.run('db', () => timers.set('b', { key: 'k', delay: 1e6, db: database }))
  await context.run('get', () => timers.get('b', 'k'))
  await context.run('list', () => timers.list().next())
  for (const name of ['time', 'beat']) seen.delete(`${name}: undefined`)
  expect([...seen].sort()).toEqual([
    ...['change: undefined', 'claim: undefined', 'end: undefined'],
    ...['get: get', 'names: list', 'portion: list'],
  ])
})

it('goes on with what runs if a query was not sent, and if the answer was lost', async () => {
  let error: object | undefined
  const timers = await openThrough('refused', (name, ask) =>
    error !== undefined && name === 'change' ? Promise.reject(Object.assign(new Error('no'), error)) : ask(),
  )
  const set = (cause: object | undefined) => {
    error = cause
    return timers.set('b', { at: 4e12 }).catch(({ code }) => code)
  }
  let end = () => {}
  const started = new Promise<DurableRun['signal']>((resolve) => {
    timers.on('a', ({ signal }) => {
      resolve(signal)
      return new Promise<void>((done) => {
        end = done
      })
    })
  })
  await timers.set('a', { delay: 0 })
  const signal = await started
  const refusals = ['53300', '57P03', '28P01', '3D000'].map((code) => ({ code, severity: 'FATAL' }))
  for (const cause of [...refusals, { code: 'ECONNREFUSED' }, { code: 'ETIMEDOUT', syscall: 'connect' }])
    expect([cause, await set(cause)]).toEqual([cause, 'ERR_DURABLE_UNAVAILABLE'])
  expect([typeof (await set(undefined)), signal.aborted]).toEqual(['object', false])
  for (const cause of [{}, { code: 'ECONNRESET', syscall: 'read' }, { code: '57P01', severity: 'FATAL' }])
    expect([cause, await set(cause)]).toEqual([cause, 'ERR_DURABLE_DOUBT'])
  expect([typeof (await set(undefined)), signal.aborted]).toEqual(['object', false])
  end()
  while ((await timers.stats()).ran === 0) await sleep(5)
})

it('does not say that a call may have changed something which only reads', async () => {
  const reads = ['get', 'names', 'portion', 'count']
  const timers = await openThrough('read', (name, ask) => (reads.includes(name!) ? fail() : ask()))
  const calls = [timers.get('a', 'k'), timers.list().next(), timers.failed().next(), timers.stats()]
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'ERR_DURABLE_UNAVAILABLE' })
})

/** How a pool connects, how its connection answers, and what the connection sees: the query, and whether the pool is to end it. */
type Pooled = [
  connect: (one: object, late: Promise<void>) => Promise<object>,
  answer: () => Promise<unknown>,
  seen: unknown[],
]
it.each<[error: string, ...Pooled]>([
  ['ERR_DURABLE_UNAVAILABLE PostgreSQL: no', () => fail(), async () => [], []],
  [
    'ERR_DURABLE_UNAVAILABLE PostgreSQL: no connection',
    (one, late) => late.then(() => one),
    async () => [],
    [false],
  ],
  ['ERR_DURABLE_DOUBT PostgreSQL: no answer', async (one) => one, () => new Promise(() => {}), ['q', true]],
  ['undefined no', async (one) => one, () => fail(), ['q', true]],
  ['40001 no', async (one) => one, () => fail('40001'), ['q', false]],
])('knows whether a query of a pool was sent: %s', async (message, connect, answer, expected) => {
  const seen: unknown[] = []
  const query = (text: string) => {
    seen.push(text)
    return answer()
  }
  const connection = { query, on: () => {}, off: () => {}, release: (end: boolean) => seen.push(end) }
  let comesLate = () => {}
  const late = new Promise<void>((resolve) => {
    comesLate = resolve
  })
  const pool = { connect: () => connect(connection, late), totalCount: 1, query: () => fail() }
  const error = (await ask(pool, 'q', [], 20, 20).catch((thrown) => thrown)) as DurableError
  expect(`${error.code} ${error.message}`).toMatch(RegExp(`^${message}`))
  comesLate()
  await until(() => seen.length === expected.length)
  expect(seen).toEqual(expected)
})

it('listens on a new connection if the one that it has has ended, or does not answer any more', async () => {
  let connections = 0
  const released: number[] = []
  const connect = async () => {
    const number = ++connections
    let queries = 0
    return {
      on: (event: string, callback: () => void) => number === 1 && event === 'end' && setImmediate(callback),
      release: () => released.push(number),
      query: async () => (number > 1 && ++queries > number - 1 ? new Promise(() => {}) : []),
    }
  }
  const heard: (string | undefined)[] = []
  const pool = { connect, totalCount: 1, query: async () => [] }
  const end = listen(pool as never, 'news', (payload) => heard.push(payload), 20)
  await until(() => connections >= 4)
  end()
  expect(released.slice(0, 3)).toEqual([1, 2, 3])
  expect(heard.slice(0, 4)).toEqual(['', undefined, '', undefined])
})

it('holds what it sets while a claim is under way', async () => {
  let isAnswered = false
  const pass: Pass = (name, ask) => (name === 'claim' ? until(() => isAnswered).then(ask) : ask())
  const timers = await openThrough('claiming', pass)
  const ran = run(timers, 'a')
  await timers.set('a', { key: 'held', delay: 50 })
  expect(await ran).toEqual(['held', undefined, true])
  isAnswered = true
})

const throwing = () => {
  throw new Error('no')
}
it.each([
  ['rejects', () => fail(), 'ERR_DURABLE_UNAVAILABLE'],
  ['throws', throwing, 'ERR_DURABLE_UNAVAILABLE'],
  ['lies', () => Promise.resolve({ rows: [{ answer: '{}' }] }), 'ERR_DURABLE_UNAVAILABLE'],
  ['gives nothing', () => Promise.resolve(undefined), 'ERR_DURABLE_UNAVAILABLE'],
  ['gives an error of a missing right', () => fail('42501'), 'ERR_DURABLE_STORE'],
])('does not open if the query %s', async (_what, query, code) => {
  await expect(DurableTimers.open(postgres({ query }))).rejects.toMatchObject({ name: 'DurableError', code })
})

it('starts nothing early while the clock of the database is slowed down, as chrony may', async () => {
  const timers = await open({ table: 'slewed' })
  await database.exec(`CREATE TABLE began AS SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at;
    CREATE OR REPLACE FUNCTION timeout_wheel.slewed_now_1() RETURNS numeric LANGUAGE sql VOLATILE AS
      'SELECT at + (extract(epoch FROM clock_timestamp()) * 1000 - at) * 0.92 FROM public.began'`)
  const early: number[] = []
  timers.on('a', async ({ due }) => {
    const { rows } = await database.query<{ now: number }>(
      'SELECT timeout_wheel.slewed_now_1()::float AS now',
    )
    early.push(Math.max(0, due.getTime() - rows[0]!.now))
  })
  await timers.setMany('a', [{ delay: 300 }, { delay: 600 }, { delay: 900 }])
  await until(() => early.length === 3)
  expect(early).toEqual([0, 0, 0])
})

it('knows the least time that the database can have, also if its clock was set, at once or step by step', async () => {
  let here = 1_000
  const clock = makeServerClock(() => here)
  let server = 1.7e12
  let rate = 1
  const pass = (ms: number): void => {
    here += ms
    server += ms * rate
  }
  for (let i = 0; i < scaled(2_000, 200_000); i++) {
    if (i % 500 === 499) server += i % 1_000 === 999 ? -5_000 : 5_000
    if (i % 50 === 49) rate = [0.92, 1, 1.08][Math.floor(Math.random() * 3)]!
    const sent = here
    pass(Math.random() * 30)
    const time = server
    pass(Math.random() * 30)
    clock.learn(sent, time)
    for (const wait of [0, 100]) {
      pass(wait)
      expect(clock.least()).toBeLessThanOrEqual(server)
      expect(clock.now()).toBeGreaterThan(server - 62 - wait * 0.1)
      expect(clock.now()).toBeLessThanOrEqual(server + wait * 0.1)
    }
  }
})
