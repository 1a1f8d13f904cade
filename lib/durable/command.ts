/** `timeout-wheel durable sql`: prints the SQL that makes the tables in PostgreSQL. */
import { parseArgs } from 'node:util'
import { identifier } from './checks.js'
import { migrationOf } from './postgres/schema.js'

export const usage = `Usage: timeout-wheel durable sql [options]

Prints the statement that makes the tables of durable timers in PostgreSQL, or
brings them to this version, for a person who applies it.

  --table <table>    the option \`table\` of the program
  --schema <schema>  the option \`schema\`
  -h, --help         print this`

const OPTIONS = {
  table: { type: 'string', default: 'timers' },
  schema: { type: 'string', default: 'timeout_wheel' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Reads the arguments after `durable`. Returns the statement. @throws Error whose message names the wrong argument */
export function readCommand(args: string[]): string {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true })
  if (values.help) return 'help'
  if (positionals.join(' ') !== 'sql')
    throw new Error(`the command must be sql, got '${positionals.join(' ')}'`)
  return migrationOf(identifier('--schema', values.schema), identifier('--table', values.table))
}

/** @returns the exit code */
export function run(statement: string): number {
  console.log(`${statement};`)
  return 0
}
