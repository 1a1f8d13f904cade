/** Wrong arguments are refused with an exact error, before anything changes. */
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { DurableTimers } from 'timeout-wheel/durable'

let timers: DurableTimers
beforeAll(async () => {
  timers = await DurableTimers.open(':memory:', { clock: 'manual' })
})
afterAll(() => timers.close())

const long = 'x'.repeat(513)
const cycle: unknown[] = []
cycle.push(cycle)

type Call = () => unknown
it.each<[message: string, call: Call]>([
  ["store must be a path or ':memory:', got 5", () => DurableTimers.open(5 as never)],
  ['store must be a path or \':memory:\', got ""', () => DurableTimers.open('')],
  ['store must be a path, not a URL, got "file:x"', () => DurableTimers.open('file:x')],
  ['options must be an object, got null', () => DurableTimers.open(':memory:', null as never)],
  [
    'an option of options must be one of clock, lease',
    () => DurableTimers.open(':memory:', { leese: 1 } as never),
  ],
  [
    'lease must be a whole number from 1000 to 60000, got 999',
    () => DurableTimers.open(':memory:', { lease: 999 }),
  ],
  [
    'horizon must be a whole number from 100 to 60000, got NaN',
    () => DurableTimers.open(':memory:', { horizon: Number.NaN }),
  ],
  [
    'maxHeld must be a whole number from 1 to 1000000, got 1.5',
    () => DurableTimers.open(':memory:', { maxHeld: 1.5 }),
  ],
  ['retention must be a number, got "1"', () => DurableTimers.open(':memory:', { retention: '1' as never })],
  [
    "clock must be one of 'system', 'manual', got \"fake\"",
    () => DurableTimers.open(':memory:', { clock: 'fake' as never }),
  ],
  [
    'table must be a letter, then up to 40 letters, digits and _, got "a; drop"',
    () => DurableTimers.open(':memory:', { table: 'a; drop' }),
  ],
  ['unref must be a boolean, got 1', () => DurableTimers.open(':memory:', { unref: 1 as never })],
  [
    'onError must be a function, got an object',
    () => DurableTimers.open(':memory:', { onError: {} as never }),
  ],
  ['name must be a string, got undefined', () => timers.on(undefined as never, () => {})],
  ['handler must be a function, got null', () => timers.on('x', null as never)],
  [
    'concurrency must be a whole number from 1 to 1000000, got 0',
    () => timers.on('x', () => {}, { concurrency: 0 }),
  ],
  ['timeout must be a number from 1 to 2147483647, got 0', () => timers.on('x', () => {}, { timeout: 0 })],
  [
    'retries must be a whole number from 0 to 1000000, got -1',
    () => timers.on('x', () => {}, { retries: -1 }),
  ],
  ['backoff must be a number from 1 to', () => timers.on('x', () => {}, { backoff: 0 })],
  ['name must be 1 to 512 bytes long, got ""', () => timers.set('', { delay: 1 })],
  ['options must be an object, got 5', () => timers.set('x', 5 as never)],
  ['options must be with delay, at, every or cron, got an object', () => timers.set('x', {})],
  ['options must be without at if there is a delay', () => timers.set('x', { delay: 1, at: 5 })],
  [
    'options must be without cron if there is every',
    () => timers.set('x', { key: 'k', every: 1, cron: '* * * * *' }),
  ],
  ['options must be with a key if the timer repeats', () => timers.set('x', { every: 1 })],
  ['an option of options must be one of key, delay', () => timers.set('x', { delay: 1, delai: 1 } as never)],
  ['delay must be a number from 0 to', () => timers.set('x', { delay: -1 })],
  ['delay must be a number, got "1"', () => timers.set('x', { delay: '1' as never })],
  ['delay must be a number from 0 to', () => timers.set('x', { delay: 4e12 })],
  ['at must be a Date or a number, got "now"', () => timers.set('x', { at: 'now' as never })],
  [
    'at must be a valid time, at most 2^51 ms after 1970, got NaN',
    () => timers.set('x', { at: new Date(Number.NaN) }),
  ],
  ['every must be a whole number from 1 to', () => timers.set('x', { key: 'k', every: 0.5 })],
  ['cron must be a string, got 5', () => timers.set('x', { key: 'k', cron: 5 as never })],
  ['cron must be a cron expression, got "often"', () => timers.set('x', { key: 'k', cron: 'often' })],
  [
    "late must be one of 'run', 'once', 'skip', got \"no\"",
    () => timers.set('x', { delay: 1, late: 'no' as never }),
  ],
  ['grace must be a number from 0 to', () => timers.set('x', { delay: 1, grace: -1 })],
  [
    "ifExists must be one of 'replace', 'keep', 'throw', got true",
    () => timers.set('x', { delay: 1, ifExists: true as never }),
  ],
  ['key must be 1 to 512 bytes long, got', () => timers.set('x', { delay: 1, key: long })],
  ['key must be without zero characters', () => timers.set('x', { delay: 1, key: 'a\0b' })],
  ['key must be without lone surrogates', () => timers.set('x', { delay: 1, key: '\ud800' })],
  [
    'data must be what JSON.stringify can write, got an array: Converting circular',
    () => timers.set('x', { delay: 1, data: cycle }),
  ],
  [
    'data must be what JSON.stringify can write, got 1n: Do not know how to serialize a BigInt',
    () => timers.set('x', { delay: 1, data: 1n }),
  ],
  [
    'data must be what JSON.stringify can write, got a function',
    () => timers.set('x', { delay: 1, data: () => {} }),
  ],
  [
    'data must be at most 1048576 bytes of JSON',
    () => timers.set('x', { delay: 1, data: 'x'.repeat(2 ** 20) }),
  ],
  ['rows must be iterable, got 5', () => timers.setMany('x', 5 as never)],
  ['delay must be a number from 0 to', () => timers.setMany('x', [{ delay: 1 }, { delay: -1 }])],
  ['key must be a string, got 5', () => timers.clear('x', 5 as never)],
  ['key must be a string, got undefined', () => timers.get('x', undefined as never)],
  ['id must be a whole number from 1 to', () => timers.retry(0)],
  ['ms must be a number from 0 to', () => timers.advance(-1)],
  ['timeout must be a number from 0 to', () => timers.close({ timeout: -1 })],
])('%s', async (message, call) => {
  const error = await Promise.resolve()
    .then(call)
    .then(
      () => undefined,
      (thrown: Error) => thrown,
    )
  expect(error?.message.slice(0, message.length)).toBe(message)
  expect((error as { code?: string }).code).toMatch(/^ERR_(INVALID_ARG_(TYPE|VALUE)|OUT_OF_RANGE)$/)
  expect((await timers.stats()).pending).toBe(0)
})

it('takes every key that a database can store, and times at the limits', async () => {
  const keys = ['\'quoted\' "twice"; --', 'ключ', '😀'.repeat(128), ' ', '%_\\']
  for (const key of keys) {
    await timers.set("a 'name'", { key, delay: 36_525 * 24 * 3_600_000, data: { key } })
    expect(await timers.get("a 'name'", key)).toMatchObject({ key, data: { key } })
    expect(await timers.clear("a 'name'", key)).toBe(true)
  }
  const seen: unknown[] = []
  timers.on('past', ({ due, data }) => seen.push(due.getTime(), data))
  await timers.set('past', { at: new Date(-5), data: null })
  await timers.set('past', { at: 0.5, data: '' })
  await timers.advance(0)
  expect(seen).toEqual([0, null, 1, ''])
})
