/** Wrong arguments are refused with an exact error, before anything changes. */
import { runInNewContext } from 'node:vm'
import { DurableTimers, manualClock, postgres } from 'timeout-wheel/durable'
import { codeOf } from './helpers.js'

let timers: DurableTimers
beforeAll(async () => {
  timers = await DurableTimers.open(':memory:', { clock: manualClock() })
})
afterAll(() => timers.close())

const open = (options: unknown, store: unknown = ':memory:') =>
  DurableTimers.open(store as never, options as never)
const set = (options: unknown) => timers.set('x', options as never)
const on = (options: unknown) => timers.on('x', () => {}, options as never)
type Method = (...args: unknown[]) => unknown
/** How many arguments each method knows. */
const CALLS = {
  ...{ off: 1, pause: 2, resume: 2, clearId: 2, clearMany: 2, set: 2, setMany: 3, clear: 3, get: 3, on: 3 },
  ...{ list: 1, failed: 1, retry: 2, stats: 1, advance: 1, close: 1 },
}
/** Calls a method. The first step of an iteration checks its arguments. */
function call(method: string, args: unknown[]): unknown {
  const result = Reflect.apply(Reflect.get(timers, method) as Method, timers, args)
  return ['list', 'failed'].includes(method) ? (result as AsyncGenerator).next() : result
}
const CLIENT = { query: async () => [] }
const POOL = { ...CLIENT, connect: () => {}, totalCount: 1 }
const cycle: unknown[] = []
cycle.push(cycle)
const nested = JSON.parse(`${'['.repeat(1e5)}${']'.repeat(1e5)}`)
const WRITABLE = 'data must be a value that JSON.stringify can write, got '
const ZONE = "timeZone must be the name of a time zone, such as 'Europe/Berlin'"
const zone = (timeZone: string, cron = '* * * * *') => set({ key: 'k', cron, timeZone })
const cron = (expression: unknown) => set({ key: 'k', cron: expression })

it.each<[message: string, call: () => unknown]>([
  ["store must be a path, ':memory:' or postgres(client), got 5", () => open({}, 5)],
  ['options must be an object, got null', () => open(null)],
  ['unknown option "leese", known: clock, lease', () => open({ leese: 1 })],
  ['lease must be a whole number from 1000 to 60000, got 999', () => open({ lease: 999 })],
  ['horizon must be a whole number from 100 to 60000, got NaN', () => open({ horizon: Number.NaN })],
  ['clock must be what manualClock returns, got 5', () => open({ clock: 5 })],
  ['table must be a letter, then up to 40 letters, digits and _, got "a; d"', () => open({ table: 'a; d' })],
  ['schema must be absent, because the store is a file, got "a"', () => open({ schema: 'a' })],
  ['start must be a time from 1970 on, got -1', () => manualClock(-1)],
  ['start must be a Date or a number, got "2027"', () => manualClock('2027' as never)],
  ['argument 2 of manualClock must be absent, got 5', () => Reflect.apply(manualClock, 0, [0, 5])],
  ['name must be a string, got undefined', () => timers.on(undefined as never, () => {})],
  ['handler must be a function, got null', () => timers.on('x', null as never)],
  ['concurrency must be a whole number from 1 to 1000000, got 0', () => on({ concurrency: 0 })],
  ['options must have delay, at, every or cron', () => set({})],
  ['options must not have both delay and at', () => set({ delay: 1, at: 5 })],
  ['options must have cron if they have timeZone', () => set({ delay: 1, timeZone: 'UTC' })],
  ['options must have a key if the timer repeats', () => set({ every: 1 })],
  ['unknown option "delai", known: key, delay', () => set({ delay: 1, delai: 1 })],
  ['at must be a Date or a number, got "now"', () => set({ at: 'now' })],
  ['at must be a valid time, at most 2^51 ms after 1970, got NaN', () => set({ at: new Date(Number.NaN) })],
  ['cron must be a cron expression, got "often"', () => cron('often')],
  ['options must not have both every and cron', () => set({ key: 'k', every: 1, cron: '* * * * *' })],
  ['options must not have delay or at if they have cron', () => set({ key: 'k', at: 1, cron: '* * * * *' })],
  [`${ZONE}, got "Mars"`, () => zone('Mars')],
  [`${ZONE}, got ""`, () => zone('')],
  [
    'rows[1].cron must be a cron expression',
    () => timers.setMany('x', [{ delay: 1 }, { key: 'k', cron: 'often' }]),
  ],
  [
    'cron must be a cron expression, not a date, got "2027-01-31T08:00:00"',
    () => cron('2027-01-31T08:00:00'),
  ],
  ["options must have a key if ifExists is 'keep'", () => set({ delay: 1, ifExists: 'keep' })],
  ["options must have a key if ifExists is 'throw'", () => set({ delay: 1, ifExists: 'throw' })],
  ["late must be one of 'run', 'once', 'skip', got \"no\"", () => set({ delay: 1, late: 'no' })],
  ["ifExists must be one of 'replace', 'keep', 'throw', 'update'", () => set({ delay: 1, ifExists: true })],
  ['key must be 1 to 512 bytes long, got', () => set({ delay: 1, key: 'x'.repeat(513) })],
  ['key must be a text without zero characters', () => set({ delay: 1, key: 'a\0b' })],
  ['key must be a text without lone surrogates', () => set({ delay: 1, key: '\ud800' })],
  [`${WRITABLE}an array: Converting circular`, () => set({ delay: 1, data: cycle })],
  [`${WRITABLE}an array: Maximum call stack`, () => set({ delay: 1, data: nested })],
  [`${WRITABLE}1n: Do not know how to serialize a BigInt`, () => set({ delay: 1, data: 1n })],
  ...(
    [
      ['', () => {}, 'a function'],
      ['', Symbol.iterator, 'Symbol(Symbol.iterator)'],
      ['', new Date(0), 'an object of the class Date'],
      ['.users[1]', { users: [{}, new Map()] }, 'an object of the class Map'],
      ['[1]', [1, undefined], 'undefined'],
      // biome-ignore lint/suspicious/noSparseArray: it is the subject
      ['[0]', [, 1], 'undefined'],
      ['.a.b', { a: { b: Number.NaN } }, 'NaN'],
      ['.a', { a: -Infinity }, '-Infinity'],
      ['.toJSON', { toJSON: () => 1 }, 'a function'],
      ['[0]', [new (class Money {})()], 'an object of the class Money'],
      ['', Buffer.from('x'), 'an object of the class Buffer'],
    ] as const
  ).map(([path, data, got]): [string, () => unknown] => [
    `data${path} must be null, a boolean, a finite number, a string, an array or a plain object, which JSON keeps, got ${got}`,
    () => set({ delay: 1, data }),
  ]),
  ['db must be absent, because the store is a file of SQLite', () => set({ delay: 1, db: CLIENT })],
  ['db must be an object with a method query, got an object', () => set({ delay: 1, db: {} })],
  ['db must be a connection on which a transaction has begun, not a pool', () => set({ delay: 1, db: POOL })],
  ['data must be at most 1048576 bytes of JSON', () => set({ delay: 1, data: 'x'.repeat(2 ** 20) })],
  ['rows[1].delay must be a number from 0 to', () => timers.setMany('x', [{ delay: 1 }, { delay: -1 }])],
  [
    'rows[0].data.a[1] must be null, a',
    () => timers.setMany('x', [{ delay: 1, data: { a: [1, Number.NaN] } }]),
  ],
  ['rows[1] must have delay, at', () => timers.setMany('x', [{ delay: 1 }, {}] as never)],
  ['rows[0] must be an object, got 5', () => timers.setMany('x', [5] as never)],
  ['unknown option "rows[0].delai", known: key', () => timers.setMany('x', [{ delai: 5 }] as never)],
  ['everywhere must be a boolean, got 1', () => timers.pause('x', { everywhere: 1 } as never)],
  ['prefix must be a string, got null', () => timers.clearMany('x', { prefix: null } as never)],
  ['unknown option "nam", known: name', () => timers.stats({ nam: 'x' } as never)],
  ['retries must be a whole number from 0 to', () => set({ delay: 1, retries: -1 })],
  ['id must be a string, got 0', () => timers.retry(0 as never)],
  ['db must be absent, because the store is a file of SQLite', () => timers.clear('x', 'k', { db: CLIENT })],
  [
    'rows[1].key must be another one than those before, got "k"',
    () => timers.setMany('x', Array(2).fill({ key: 'k', delay: 1 })),
  ],
  ['rows[0] must not have db', () => timers.setMany('x', [{ delay: 1, db: CLIENT }])],
  ['unknown option "nam", known: name, before', () => timers.list({ nam: 'x' } as never).next()],
  ['unknown option "timeOut", known: timeout', () => timers.close({ timeOut: 1 } as never)],
  ...Object.entries(CALLS).map(([method, count]): [string, () => unknown] => [
    `argument ${count + 1} of ${method} must be absent, got an object`,
    () => call(method, [...Array(count), {}]),
  ]),
  ['argument 3 of open must be absent, got 5', () => Reflect.apply(DurableTimers.open, 0, ['x', {}, 5])],
  ['argument 2 of postgres must be absent, got 5', () => Reflect.apply(postgres, 0, [CLIENT, 5])],
  ['client must be an object with a method query, got an object', () => postgres({} as never)],
])('%s', async (message, call) => {
  const error = (await (async () => call())().catch((thrown) => thrown)) as Error
  expect(error.message.slice(0, message.length)).toBe(message)
  expect((error as { code?: string }).code).toMatch(/^ERR_(INVALID_ARG_(TYPE|VALUE)|OUT_OF_RANGE)$/)
  expect((await timers.stats()).pending).toBe(0)
})

it('keeps data as it is', async () => {
  const nothing = Object.assign(Object.create(null), { a: 1 })
  const data = [
    null,
    true,
    '\0\ud800',
    1.5,
    {},
    [],
    nothing,
    runInNewContext('({ deep: [{}] })'),
    { left: undefined },
  ]
  for (const one of [...data, data]) {
    await timers.set('kept', { key: 'k', delay: 1, data: one })
    expect((await timers.get('kept', 'k'))!.data).toEqual(one)
  }
  await timers.clear('kept', 'k')
})

it('takes every key that a database can store, and times at the limits', async () => {
  const keys = ['\'quoted\' "twice"; --', 'ключ', '😀'.repeat(128), ' ', '%_\\']
  const rows = keys.map((key) => ({ key, delay: 36_525 * 24 * 3_600_000, data: { key } }))
  await timers.setMany("a 'name'", rows)
  for (const key of keys) expect(await timers.get("a 'name'", key)).toMatchObject({ key, data: { key } })
  const seen: unknown[] = []
  timers.on('past', ({ due, data }) => seen.push(due.getTime(), data))
  await timers.set('past', { at: new Date(-5), data: null })
  await timers.set('past', { at: 0.5, data: '' })
  await timers.advance(0)
  expect(seen).toEqual([0, null, 1, ''])
})

it('refuses every call after close', async () => {
  await timers.close()
  await timers.close()
  const calls = {
    ...{
      set: ['x', { delay: 1 }],
      setMany: ['x', [{ delay: 1 }]],
      on: ['x', () => {}],
      clear: ['x', 'k'],
      get: ['x', 'k'],
    },
    ...{ clearId: ['x', '1'], clearMany: ['x'], pause: ['x'], resume: ['x'], retry: ['1'], advance: [1] },
    ...{ list: [], failed: [], stats: [] },
  }
  for (const [method, args] of Object.entries(calls)) {
    const code = codeOf((async () => call(method, args))())
    expect([method, await code]).toEqual([method, 'ERR_DURABLE_CLOSED'])
  }
})
