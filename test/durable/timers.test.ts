/** What durable timers promise, with time that the test moves. */

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { format } from 'node:util'
import { jest } from '@jest/globals'
import type { DurableOptions, DurableRun } from 'timeout-wheel/durable'
import { DurableTimers, manualClock, postgres } from 'timeout-wheel/durable'
import { temporaryFolder } from '../temporary-folder.js'
import { newDatabase } from './database.js'
import { all, fail, keysOf, openStores, rowsOf } from './helpers.js'

const path = join(temporaryFolder(), 'timers.db')
const { open: openStore, errors } = openStores()

/** Opens a store, and makes a handler that logs its runs, as `key@milliseconds since the start`. */
async function open(options: DurableOptions = {}) {
  const timers = await openStore(':memory:', { clock: manualClock(), ...options })
  const start = (await timers.set('start', { delay: 0 })).due.getTime()
  const runs: string[] = []
  const log = ({ key, due }: DurableRun) => runs.push(`${key}@${due.getTime() - start}`)
  return { timers, runs, log, start }
}

it.each(['SQLite', 'PostgreSQL'])(
  'moves time from a chosen date, and waits for handlers that wait for something else, on %s',
  async (store) => {
    const database = store === 'SQLite' ? undefined : await newDatabase()
    const clock = manualClock(new Date('2027-01-31'))
    const timers = await DurableTimers.open(database ? postgres(database.client) : ':memory:', { clock })
    const seen: string[] = []
    timers.on('a', async ({ due, signal }) => {
      await sleep(50, undefined, { signal })
      seen.push(`${due.toISOString()} ${clock.now() - due.getTime()}`)
    })
    await timers.set('a', { key: 'k', cron: '0 8 L * *' })
    await timers.advance(31 * 24 * 3_600_000)
    expect(seen).toEqual(['2027-01-31T08:00:00.000Z 0', '2027-02-28T08:00:00.000Z 0'])
    await timers.close()
    await database?.close()
  },
)

it('runs timers in the order of their due times, never early, with their data', async () => {
  const { timers, runs, log } = await open()
  const seen: unknown[] = []
  timers.on('a', (run) => seen.push(run.data, run.attempt, run.name, log(run)))
  await timers.set('a', { key: 'late', delay: 2_000, data: { deep: [1, null, 'x'] } })
  await timers.set('a', { key: 'soon', delay: 1_000 })
  await timers.advance(999.5)
  expect(runs).toEqual([])
  await timers.advance(0.5)
  expect(runs).toEqual(['soon@1000'])
  await timers.advance(14 * 24 * 3_600_000)
  expect(runs).toEqual(['soon@1000', 'late@2000'])
  expect(seen).toEqual([undefined, 1, 'a', 1, { deep: [1, null, 'x'] }, 1, 'a', 2])
  expect(await timers.stats()).toMatchObject({ pending: 1, held: 0, running: 0, ran: 2, failures: 0 })
})

it('starts a timer of one name on time beside thousands of another whose handler never ends', async () => {
  const { timers, runs, log } = await open()
  timers.on('hangs', () => new Promise(() => {}), { concurrency: 10, prefetch: 100 })
  timers.on('a', log)
  await timers.setMany('hangs', Array(800).fill({ delay: 0 }))
  await timers.set('a', { key: 'soon', delay: 5 })
  await timers.advance(10)
  expect(runs).toEqual(['soon@5'])
  const { held, running } = await timers.stats()
  expect(running).toBe(10)
  // The changes of a transaction can be more.
  expect(held).toBeLessThanOrEqual(610)
})

it('holds no more bytes of a name than it needs', async () => {
  const { timers, runs, log } = await open()
  const rows = keysOf(50).map((key, i) => ({ key, delay: 50 + i, data: 'x'.repeat(2 ** 19) }))
  await timers.setMany('a', rows)
  timers.on('a', log)
  await timers.advance(0)
  expect((await timers.stats()).held).toBeLessThan(35)
  await timers.advance(100)
  expect(runs).toEqual(rows.map(({ key, delay }) => `${key}@${delay}`))
})

it('runs a timer again that was kept while its handler ran, unless the handler started later', async () => {
  const { timers, runs, log } = await open()
  let end = () => {}
  const handler = (run: DurableRun) => {
    log(run)
    return new Promise<void>((resolve) => {
      end = resolve
    })
  }
  timers.on('a', handler, { concurrency: 1 })
  const keys = ['runs', 'is due']
  for (const [i, key] of keys.entries()) await timers.set('a', { key, delay: i + 1 })
  await timers.advance(10)
  for (const key of keys) await timers.set('a', { key, delay: 90, ifExists: 'keep' })
  await timers.advance(1)
  for (let i = 0; i < 4; i++) {
    end()
    await timers.advance(100)
  }
  expect(runs).toEqual(['runs@1', 'is due@2', 'runs@100'])
  expect((await timers.stats()).pending).toBe(1)
})

it.each([1, 2, 7])('runs timers at their time if no more than %s may be held', async (prefetch) => {
  const { timers, runs, log } = await open()
  timers.on('a', log, { prefetch })
  const dues = Array.from({ length: 60 }, (_, i) => 1 + ((i * 37) % 60) * 190)
  for (const due of dues) {
    await timers.set('a', { key: `${due}`, delay: due })
    expect((await timers.stats()).held).toBeLessThanOrEqual(prefetch)
  }
  await timers.advance(12_000)
  expect(runs).toEqual(dues.sort((a, b) => a - b).map((due) => `${due}@${due}`))
})

it('starts a timer on time for which there was no room until a claim had ended', async () => {
  const { timers } = await open()
  for (const delay of [50, 100, 100, 100, 100, 100, 105]) await timers.set('a', { delay })
  timers.on('a', () => {}, { prefetch: 4 })
  for (let i = 0; i < 105; i++) await timers.advance(1)
  expect((await timers.stats({ name: 'a' })).pending).toBe(0)
})

it('replaces, keeps or refuses a timer with the same key', async () => {
  const { timers, runs, log } = await open()
  timers.on('a', log)
  await timers.set('a', { key: 'k', delay: 100 })
  const second = await timers.set('a', { key: 'k', delay: 300 })
  expect(await timers.set('a', { key: 'k', delay: 1, ifExists: 'keep' })).toEqual(second)
  const refused = await timers.set('a', { key: 'k', delay: 1, ifExists: 'throw' }).catch(({ code }) => code)
  expect(refused).toBe('ERR_DURABLE_EXISTS')
  await timers.advance(1_000)
  expect(runs).toEqual(['k@300'])
})

it('makes the changes of a turn in the order of the calls, those with cron expressions too', async () => {
  const { timers } = await open()
  const key = 'k'
  const rules = [
    { key, delay: 1 },
    { key, every: 1_000 },
    { key, cron: '0 8 * * *' },
  ]
  for (const first of rules) {
    for (const second of rules) {
      const [, set, one, [many]] = await Promise.all([
        timers.clear('a', key),
        timers.set('a', first),
        timers.set('a', second),
        timers.setMany('a', [second]),
      ])
      expect([set, one, many].map((timer) => timer!.id)).toEqual([set.id, one.id, many!.id].sort())
      expect((await timers.get('a', key))?.id).toBe(many!.id)
    }
    const [, isCleared] = await Promise.all([timers.set('a', first), timers.clear('a', key)])
    expect([isCleared, await timers.get('a', key)]).toEqual([true, undefined])
  }
})

it('tries a failed timer again with growing waits, and keeps it as failed in the end', async () => {
  const { timers, start } = await open()
  const attempts: [number, string][] = []
  const handler = ({ attempt, id }: DurableRun) => {
    if (attempts.push([attempt, id]) < 5) throw new Error(`failure ${attempt}`)
  }
  timers.on('a', handler, { retries: 3, backoff: 1_000 })
  const { id } = await timers.set('a', { key: 'k', at: start + 50 })
  await timers.advance(50)
  // The first wait is 500 to 1,000 ms.
  await timers.advance(499)
  expect(attempts).toHaveLength(1)
  await timers.advance(501 + 2_000 + 4_000)
  expect(attempts).toEqual([1, 2, 3, 4].map((attempt) => [attempt, id]))
  expect(errors.splice(0)).toEqual([1, 2, 3, 4].map((attempt) => `failure ${attempt}`))
  expect(await all(timers.failed())).toMatchObject([{ id, key: 'k', attempt: 4, error: 'failure 4' }])
  expect(await timers.retry(`${id}0`)).toBe(false)
  expect(await timers.retry(id)).toBe(true)
  await timers.advance(0)
  expect([attempts.length, await all(timers.failed())]).toEqual([5, []])
})

it('aborts the signal of a handler that takes too long, or whose timer is replaced or cleared', async () => {
  const { timers } = await open()
  const reasons: unknown[] = []
  const handler = ({ signal, key }: DurableRun) =>
    new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(reasons.push(`${key} ${signal.reason.code}`))),
    )
  timers.on('a', handler, { timeout: 100, retries: 0 })
  await timers.setMany('a', rowsOf(['k', 'l', 'm']))
  await timers.advance(99)
  await Promise.all([timers.clear('a', 'k'), timers.set('a', { key: 'l', delay: 5_000 })])
  expect(reasons).toEqual(['k ERR_DURABLE_REPLACED', 'l ERR_DURABLE_REPLACED'])
  await timers.advance(1)
  expect(reasons.slice(2)).toEqual(['m ERR_DURABLE_TIMEOUT'])
  const error = 'the handler of "a" has taken more than 100 ms'
  expect(await all(timers.failed())).toMatchObject([{ key: 'm', error }])
  // The end of the former attempt does not touch the new timer.
  expect((await timers.stats()).pending).toBe(2)
  expect(errors.splice(0).sort()).toEqual(['1', '2', 'ERR_DURABLE_TIMEOUT'])
})

it('counts a handler that ends after its `timeout` as failed, also if it has never given way', async () => {
  const { timers } = await open({ clock: undefined })
  const block = (): void => {
    for (const end = performance.now() + 60; performance.now() < end; );
  }
  timers.on('sync', block, { timeout: 20, retries: 0 })
  timers.on('async', async () => block(), { timeout: 20, retries: 0 })
  for (const name of ['sync', 'async']) await timers.set(name, { delay: 0 })
  while ((await all(timers.failed())).length < 2);
  expect([(await timers.stats()).ran, errors.splice(0)]).toEqual([0, Array(2).fill('ERR_DURABLE_TIMEOUT')])
})

it('runs timers with a clock that begins with 1970', async () => {
  const { timers, runs, log } = await open({ clock: manualClock(0) })
  timers.on('a', log)
  await timers.set('a', { key: 'k', delay: 1_000 })
  await timers.advance(1_000)
  expect(runs).toEqual(['k@1000'])
})

it('ends a handler whose `timeout` is the longest', async () => {
  const { timers } = await open({ clock: undefined })
  const ended = new Promise<void>((resolve) => {
    timers.on('a', () => sleep(1).then(resolve), { timeout: Number.MAX_VALUE })
  })
  await timers.set('a', { delay: 0 })
  await ended
  // The handler has ended before its end is stored.
  while ((await timers.stats({ name: 'a' })).pending > 0 && errors.length === 0);
  expect(await timers.stats({ name: 'a' })).toMatchObject({ pending: 0, running: 0, ran: 1 })
})

it.each<[late: 'run' | 'once' | 'skip' | undefined, runs: number[]]>([
  ['run', [1_000, 2_000, 3_000, 4_000, 5_000, 6_000]],
  ['once', [5_000, 6_000]],
  [undefined, [5_000, 6_000]],
  ['skip', [5_000, 6_000]],
])('repeats a timer from due time to due time; late: %s', async (late, expected) => {
  const { timers, runs, log } = await open()
  await timers.set('a', { key: 'k', every: 1_000, late, grace: 300 })
  await timers.advance(late === 'skip' ? 5_100 : 5_400)
  timers.on('a', log)
  await timers.advance(0)
  await timers.advance(1_000)
  expect(runs).toEqual(expected.map((due) => `k@${due}`))
  expect(await timers.clear('a', 'k')).toBe(true)
})

const MINUTE = 60_000
/** The second run fails once. Due times are minutes after 22:00 on the last day of a month. */
it.each<[rule: object, backoff: number, advanced: number, runs: string[]]>([
  [{ every: MINUTE }, MINUTE / 3, 4, ['1#1', '2#1', '2#2', '3#1', '4#1']],
  // Two times pass before the next attempt.
  [{ every: MINUTE, late: 'run' }, 5 * MINUTE, 9, ['1#1', '2#1', '2#2', '3#1', '4#1']],
  [{ cron: '* * * * *', late: 'run' }, 5 * MINUTE, 9, ['1#1', '2#1', '2#2', '3#1', '4#1']],
  // The next attempt is in another month.
  [{ cron: '58 23 L * *' }, 5 * MINUTE, 90 * 1_440, ['118#1', '40438#1', '40438#2', '85078#1']],
])(
  'keeps to the scheduled times of a timer that is tried again: %j',
  async (rule, backoff, advanced, expected) => {
    const { timers, start } = await open({ clock: manualClock(new Date('2027-01-31T22:00Z')) })
    const runs: string[] = []
    const handler = ({ due, attempt }: DurableRun) => {
      runs.push(`${(due.getTime() - start) / MINUTE}#${attempt}`)
      if (runs.length === 2) throw new Error('once')
    }
    timers.on('a', handler, { backoff })
    await timers.set('a', { key: 'k', ...rule } as { key: string; every: number })
    await timers.advance(advanced * MINUTE)
    expect(runs.slice(0, expected.length)).toEqual(expected)
    expect(errors.splice(0)).toEqual(['once'])
  },
)

it('leaves out a single timer that is late, if it says so, and keeps timers until there is a handler', async () => {
  const { timers, runs, log } = await open()
  await timers.set('a', { key: 'skipped', delay: 1_000, late: 'skip', grace: 500 })
  await timers.set('a', { key: 'in time', delay: 1_200, late: 'skip', grace: 500 })
  await timers.set('a', { key: 'once', delay: 1_000, late: 'once', grace: 0 })
  timers.on('other', log)
  await timers.advance(1_600)
  expect(await timers.get('a', 'once')).toMatchObject({ name: 'a', attempt: 0, error: undefined })
  timers.on('a', log)
  await timers.advance(0)
  expect(runs.sort()).toEqual(['in time@1200', 'once@1000'])
  expect((await timers.stats()).pending).toBe(1)
})

it('goes on with a repeating timer whose run has failed, and forgets single ones after `retention`', async () => {
  const { timers } = await open({ retention: 3_600_000 })
  timers.on('a', () => fail(), { retries: 1, backoff: 10 })
  await timers.set('a', { key: 'k', every: 1_000_000 })
  await timers.set('a', { delay: 0 })
  await timers.advance(3_500_000)
  expect([errors.splice(0).length, (await all(timers.failed())).length]).toEqual([8, 1])
  await timers.advance(200_000)
  expect(await all(timers.failed())).toEqual([])
})

it('lists pending timers, and alike failed ones, by name and due time: of a name, and before a time', async () => {
  const { timers, start } = await open()
  type List = typeof timers.list
  const dues = async (iteration: ReturnType<List>) =>
    (await all(iteration)).map(({ name, due }) => `${name}${due.getTime() - start}`)
  const rows = Array.from({ length: 5_234 }, (_, i) => ({ delay: 1e6 + ((i * 7) % 5_234) }))
  await timers.setMany('many', rows)
  expect(await dues(timers.list({ name: 'many' }))).toEqual(rows.map((_, i) => `many${1e6 + i}`))
  expect(await dues(timers.list({ before: start + 1e6 + 2 }))).toEqual([
    'many1000000',
    'many1000001',
    'start0',
  ])
  for (const name of ['a', 'b']) timers.on(name, () => fail(), { retries: 0 })
  for (const [i, name] of ['a', 'b', 'a'].entries()) await timers.set(name, { delay: i * 10 })
  await timers.advance(20)
  expect(await dues(timers.failed())).toEqual(['a0', 'a20', 'b10'])
  expect(await dues(timers.failed({ name: 'a' }))).toEqual(['a0', 'a20'])
  expect(await dues(timers.failed({ before: start + 10 }))).toEqual(['a0'])
  expect((await timers.stats()).pending).toBe(5_235)
  expect(errors.splice(0)).toEqual(['no', 'no', 'no'])
})

it('closes from a handler that does not await it, whose timer has run', async () => {
  const timers = await DurableTimers.open(path)
  const closed = new Promise<unknown>((resolve) => {
    timers.on('a', () => resolve(timers.close({ timeout: 30_000 })))
  })
  await timers.set('a', { delay: 0 })
  await closed
  const again = await openStore(path)
  expect((await again.stats()).pending).toBe(0)
}, 10_000)

it('tells onError which attempt has failed, and prints it with the stack by default', async () => {
  const seen: unknown[] = []
  const { timers } = await open({ onError: ({ message }, source) => seen.push(message, source) })
  const silent = await openStore(':memory:', { clock: manualClock(), onError: undefined })
  const print = jest.spyOn(console, 'error').mockImplementation(() => {})
  for (const one of [timers, silent]) {
    one.on('a', ({ attempt }) => attempt < 3 && Promise.reject(new TypeError('no')), { backoff: 1 })
    await one.set('a', { key: 'k', delay: 0 })
    await one.advance(5)
  }
  const first = { name: 'a', key: 'k', id: expect.any(String), attempt: 1 }
  expect(seen).toEqual(['no', first, 'no', { ...first, attempt: 2 }])
  const printed = print.mock.calls.map((args) => format(...args))
  print.mockRestore()
  const text =
    /^timeout-wheel\/durable: attempt 1 of "a" with the key "k", id \w+, has failed: TypeError: no\n +at /
  expect([printed.length, printed[0]]).toEqual([2, expect.stringMatching(text)])
})
