/** versions.test.ts compiles this program with each TypeScript: durable timers. */
import {
  type DurableError,
  type DurableRun,
  type DurableTimer,
  type DurableTimerOptions,
  DurableTimers,
  manualClock,
  postgres,
} from 'timeout-wheel/durable'

export const isClosed = ({ code }: DurableError): boolean => code === 'ERR_DURABLE_CLOSED'

/** Without types of names, the data of a timer is unknown. */
export async function program(): Promise<string> {
  const timers: DurableTimers = await DurableTimers.open(':memory:', { clock: manualClock() })
  timers.on('mail', ({ data, signal }: DurableRun) => {
    if (!signal.aborted && typeof data === 'string') data.toUpperCase()
    // @ts-expect-error: the data is unknown
    data.toUpperCase()
  })
  const { id }: DurableTimer = await timers.set('mail', { delay: 5, data: 'text' })
  for await (const { due } of timers.list()) due.getTime()
  await timers.close({ timeout: 0 })
  await DurableTimers.open(postgres({ query: async () => [] }))
  return id
}

interface Names {
  'order-expires': { order: string }
  report: undefined
  note: string | undefined
}

export async function typed(due: Date): Promise<string | undefined> {
  const timers: DurableTimers<Names> = await DurableTimers.open<Names>(':memory:')
  timers.on('order-expires', ({ data }) => data.order.toUpperCase(), { timeout: 1_000 })
  timers.on('report', async ({ data }: DurableRun<undefined>) => data)
  const data = { order: '17' }
  const rows: DurableTimerOptions<Names['order-expires']>[] = [{ at: due, data }]
  const dues = [1, 2].map((delay) => ({ key: `${delay}`, delay, data }))
  for (const timer of await timers.setMany('order-expires', [...rows, ...dues])) timer.data.order.trim()
  await timers.set('order-expires', { key: 'k', delay: 5, data, at: undefined, ifExists: 'keep' })
  await timers.set('report', { key: 'daily', cron: '0 8 * * *', timeZone: 'Europe/Berlin' })
  await timers.set('report', { key: 'often', every: 1_000, delay: 0 })
  await timers.set('note', { delay: 0 })
  for await (const timer of timers.list({ name: 'order-expires' })) timer.data.order.trim()
  for await (const timer of timers.failed()) if (timer.name === 'order-expires') timer.data.order.trim()
  for await (const { name, data } of timers.list({ before: due })) if (name === 'note') data?.trim()
  for await (const timer of timers.list({ name: rows.length > 1 ? 'report' : 'note' })) timer.data?.trim()
  await timers.setMany('order-expires', dues, { db: { query: async () => [] } })
  await timers.clearMany('order-expires', { prefix: 'k' })
  await timers.pause('report', { everywhere: true })
  await timers.set('report', { key: 'daily', cron: '0 8 * * *', ifExists: 'update', retries: 3 })
  timers.off('report')
  const found: DurableTimer<{ order: string }> | undefined = await timers.get('order-expires', 'k')

  // @ts-expect-error: no such name
  timers.on('order-expired', () => {})
  // @ts-expect-error: no such name
  await timers.clear('order-expired', 'k')
  // @ts-expect-error: no such name
  await timers.pause('order-expired')
  // @ts-expect-error: no such name
  await timers.stats({ name: 'order-expired' })
  // @ts-expect-error: no such name
  timers.list({ name: 'order-expired' })
  // @ts-expect-error: the data of another name
  timers.on('order-expires', ({ data }: DurableRun<number>) => data)
  // @ts-expect-error: no data
  await timers.set('order-expires', { delay: 5 })
  // @ts-expect-error: other data
  await timers.set('order-expires', { delay: 5, data: { order: 17 } })
  // @ts-expect-error: other data
  await timers.setMany('order-expires', [{ delay: 5, data: { order: '17', more: 1 } }])
  // @ts-expect-error: no due time
  await timers.set('report', { key: 'k' })
  // @ts-expect-error: two due times
  await timers.set('report', { delay: 5, at: due })
  // @ts-expect-error: two rules
  await timers.set('report', { key: 'k', every: 5, cron: '0 8 * * *' })
  // @ts-expect-error: a rule without a key
  await timers.set('report', { every: 5 })
  // @ts-expect-error: a time zone without a cron expression
  await timers.set('report', { delay: 5, timeZone: 'Europe/Berlin' })
  return found?.data.order
}

interface Address {
  readonly street: string
  more?: { lines: [string, number][]; next: Address | null } | undefined
}

interface OfJson {
  address: Address
  seen: { at: Date }
  visits: Map<string, number>
  unknown: unknown
}

/** Data is what JSON keeps. */
export async function ofJson(timers: DurableTimers<OfJson>, at: Date): Promise<string | undefined> {
  const address: Address = { street: 'A', more: { lines: [['b', 1]], next: null } }
  await timers.set('address', { delay: 5, data: address })
  await timers.set('unknown', { delay: 5, data: address as unknown })
  // @ts-expect-error: JSON makes another value of a Date
  await timers.set('seen', { delay: 5, data: { at } })
  // @ts-expect-error: JSON makes another value of a Map
  await timers.set('visits', { delay: 5, data: new Map<string, number>() })
  return (await timers.get('address', 'k'))?.data.more?.next?.street
}
