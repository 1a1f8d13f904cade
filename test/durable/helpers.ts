/** What tests of durable timers share. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DurableOptions, DurableTimers, type PostgresDatabase } from 'timeout-wheel/durable'
import { outputOf } from '../../.tooling/child.cjs'
import { ROOT, run } from '../node/child.js'

/** Opens stores, and closes them after each test. What they report is in `errors`, of which a test must leave none. */
export function openStores() {
  const opened: DurableTimers[] = []
  const errors: string[] = []
  const onError = (error: Error) => errors.push((error as { code?: string }).code ?? error.message)
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((timers) => timers.close({ timeout: 0 })))
    expect(errors.splice(0)).toEqual([])
  })
  async function open(store: string | PostgresDatabase = ':memory:', options: DurableOptions = {}) {
    const timers = await DurableTimers.open(store, { onError, ...options })
    opened.push(timers)
    return timers
  }
  return { open, errors }
}

/** All that an iteration gives, such as `timers.failed()`. */
export async function all<T>(iteration: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const one of iteration) list.push(one)
  return list
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(5)
}

/** Rows for `setMany`. */
export const rowsOf = (keys: readonly string[], delay = 0) => keys.map((key) => ({ key, delay }))
/** So many keys. */
export const keysOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i}`)

export const ignore = (): void => {}
export const fail = (code?: string) => Promise.reject(Object.assign(new Error('no'), { code }))
/** The code of the error of a call. */
export const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'done',
    ({ code }) => code,
  )

/** Runs the text of a module in a process of its own. @returns what it prints */
export function outputOfModule(text: string, args: string[] = [], flags: string[] = []): Promise<string> {
  const words = ['--no-warnings', ...flags, '--input-type=module', '--eval', text, ...args]
  return outputOf(process.execPath, words, { limit: 60_000, cwd: ROOT })
}

export const AGES = ['oldest', 'newest'] as const
export type Age = (typeof AGES)[number]

/** The folder of an optional package in the oldest or newest version that package.json allows. It is installed if necessary. */
export async function peer(name: string, age: Age): Promise<string> {
  if (age === 'newest') return join(ROOT, 'node_modules', name)
  const script = `import { oldestPeer } from './.tooling/runtimes.mjs'
    console.log(await oldestPeer('${name}'))`
  return (await run(script)).lines.at(-1)!
}
