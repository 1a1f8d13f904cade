/** `timeout-wheel durable`: shows and changes the durable timers of a store, which programs may be using. */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { DurableTimer, DurableTimers } from 'timeout-wheel/durable'
import { identifier } from './checks.js'
import { migrationOf } from './postgres/schema.js'

export const usage = `Usage: timeout-wheel durable [options] <store> [command]
       timeout-wheel durable [options] sql

Shows or changes the durable timers of a store: a file, or a postgres:// URL,
for which the package pg must be installed. Programs can use it meanwhile. What
it prints is JSON, one line for each timer.

  stats [name]       count the timers: the default
  list [name]        print the pending timers, by name and due time
  failed [name]      print the timers that have failed for good
  retry <id>         run a failed timer again
  clear <name> <key> remove a timer

  sql                print the statement that makes the tables in PostgreSQL, or
                     brings them to this version, for a person who applies it

  --table <table>    the option \`table\` with which the store was opened
  --schema <schema>  the option \`schema\`
  -h, --help         print this`

const OPTIONS = {
  table: { type: 'string', default: 'timers' },
  schema: { type: 'string', default: 'timeout_wheel' },
  help: { type: 'boolean', short: 'h' },
} as const
type Perform = (timers: DurableTimers, ...words: string[]) => Promise<unknown>

/** Prints a line of JSON. It has no control characters, which a terminal would obey. */
const print = (value: object): void =>
  console.log(JSON.stringify(value).replace(/\p{Cc}/gu, (one) => `\\u00${one.charCodeAt(0).toString(16)}`))

async function printAll(shown: AsyncIterable<DurableTimer>): Promise<void> {
  for await (const timer of shown) print(timer)
}

async function printCounts(timers: DurableTimers, name?: string): Promise<void> {
  const { pending, failed } = await timers.stats({ name })
  print({ pending, failed })
}

/** The commands, and the number of words after each: at least, and at most. False: there is no such timer. */
const COMMANDS: Record<string, readonly [least: number, most: number, perform: Perform]> = {
  stats: [0, 1, printCounts],
  list: [0, 1, (timers, name) => printAll(timers.list({ name }))],
  failed: [0, 1, (timers, name) => printAll(timers.failed({ name }))],
  retry: [1, 1, (timers, id) => timers.retry(id!)],
  clear: [2, 2, (timers, name, key) => timers.clear(name!, key!)],
}

interface Command {
  table: string
  schema: string
  /** Undefined: none is opened, because the command is `sql`. */
  store: string | undefined
  perform: (timers: DurableTimers) => Promise<unknown>
}

/** Reads the arguments after `durable`. @throws Error whose message names the wrong argument */
export function readCommand(args: string[]): Command | 'help' {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  if (values.help) return 'help'
  const table = identifier('--table', values.table)
  const schema = identifier('--schema', values.schema)
  const [store, command = 'stats', ...words] = positionals
  if (store === undefined) throw new Error('the store is missing')
  if (store === 'sql' && positionals.length === 1)
    return { table, schema, store: undefined, perform: async () => true }
  if (COMMANDS[command] === undefined)
    throw new Error(`the command must be one of ${Object.keys(COMMANDS).join(', ')}, got '${command}'`)
  const [least, most, perform] = COMMANDS[command]
  if (words.length < least || words.length > most) {
    const number = `${least === most ? '' : 'at most '}${most} argument${most === 1 ? '' : 's'}`
    throw new Error(`${command} takes ${number}, got ${words.length}`)
  }
  return { table, schema, store, perform: (timers) => perform(timers, ...words) }
}

/** Opens a store that is there. */
async function open(
  store: string,
  { table, schema }: Command,
): Promise<{ timers: DurableTimers; end: () => Promise<unknown> }> {
  const { DurableTimers, postgres } = await import('timeout-wheel/durable')
  if (/^postgres(ql)?:/.test(store)) {
    const { default: pg } = await import('pg').catch(() => {
      throw new Error('a postgres:// URL needs the package pg: npm install pg')
    })
    const pool = new pg.Pool({ connectionString: store, max: 2 })
    // Fails if there is no such table.
    await pool.query(`SELECT FROM "${schema}"."${table}" LIMIT 0`, [])
    return { timers: await DurableTimers.open(postgres(pool), { table, schema }), end: () => pool.end() }
  }
  if (!existsSync(store)) throw new Error(`there is no file ${store}`)
  const { DatabaseSync } = await import('node:sqlite').catch(() => {
    throw new Error(`a file needs Node 22.13 or later, this is ${process.versions.node}`)
  })
  const file = new DatabaseSync(store, { readOnly: true })
  // As above.
  file.prepare(`SELECT 1 FROM "${table}"`)
  file.close()
  return { timers: await DurableTimers.open(store, { table }), end: async () => {} }
}

/** @returns the exit code: 1 if the timer is not there @throws Error if the store does not open */
export async function run(command: Command): Promise<number> {
  const { store } = command
  if (store === undefined) {
    console.log(`${migrationOf(command.schema, command.table)};`)
    return 0
  }
  const { timers, end } = await open(store, command)
  try {
    if ((await command.perform(timers)) !== false) return 0
    console.error('timeout-wheel durable: there is no such timer')
    return 1
  } finally {
    await timers.close()
    await end()
  }
}
