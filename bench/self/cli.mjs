#!/usr/bin/env node
/** `npx timeout-wheel`: measures this machine for about ten seconds. tsdown.config.ts builds it into dist/cli.mjs. */
import { readFileSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { formatColumns } from '../report/format.mjs'
import { CHILD, measure, serve } from './measure.mjs'

const usage = `Usage: timeout-wheel [--help | --version]
       timeout-wheel doctor
       timeout-wheel top <program> [arguments]
       timeout-wheel durable sql [options]
       timeout-wheel help

Measures the timers of Node and of timeout-wheel on this machine, in turn, for
about ten seconds. Prints a table; less is better.

  doctor         say which backend runs here, and what keeps the best one away
  top            start a program and show its timers: timeout-wheel top --help
  durable sql    print what makes the tables of durable timers in PostgreSQL
  -h, --help     print this, as help does
  -v, --version  print the version of the package`

const readVersion = () =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version

function complain(message) {
  console.error(`timeout-wheel: ${message}`)
  process.exitCode = 1
}

/** Whether a command is refused, because it needs what only Node has. */
function refused(command) {
  const { bun, deno } = process.versions
  if (bun === undefined && deno === undefined) return false
  const runtime = bun !== undefined ? `Bun ${bun}` : `Deno ${deno}`
  complain(
    `${command} needs Node, and this is ${runtime}. The timers of the package do run here, on WebAssembly.`,
  )
  return true
}

function readCommandLine() {
  try {
    return parseArgs({
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    }).values
  } catch (error) {
    const isCommand = command !== undefined && command !== 'help' && !command.startsWith('-')
    complain(`${isCommand ? `unknown command '${command}'` : error.message}\n\n${usage}`)
    return undefined
  }
}

const formatFigure = (value, unit) =>
  `${value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 1 : 0 })} ${unit}`

async function run() {
  if (refused('the measurement')) return
  const { backend } = await import('timeout-wheel')
  const [cpu] = os.cpus()
  console.log(
    `timeout-wheel ${readVersion()}, backend ${backend}; Node ${process.version}, ${cpu?.model.trim()}\n`,
  )
  const show = (text) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`)
  const measured = await measure(fileURLToPath(import.meta.url), (label) => show(`${label} ...`))
  show('')
  const lines = measured.map(({ label, unit, medians: [native, ...ours] }) => [
    label,
    formatFigure(native, unit),
    ...ours.flatMap((figure) => [formatFigure(figure, unit), `${(figure / native).toFixed(2)}x`]),
  ])
  const header = ['', "Node's setTimeout", 'setTimeout', 'to Node', 'schedule', 'to Node']
  console.log(formatColumns([header, ...lines]))
  console.log(
    '\nIn a turn: of the event loop, while 1,000 other timers of that delay are pending.\n' +
      'Less is better. Run it twice on a quiet machine before you rely on it.',
  )
}

/** The commands, and the files beside this one with their code. */
const FILES = { doctor: 'doctor', top: 'top', durable: 'durable-command' }
const BAD_USAGE = 2

/** Runs a command: its file has its usage, reads the arguments and runs it. Returns the exit code. */
async function runCommand(name, args) {
  const { usage, readCommand, run } = await import(new URL(`./${FILES[name]}.mjs`, import.meta.url).href)
  const complain = (message) => console.error(`timeout-wheel ${name}: ${message}`)
  let command
  try {
    command = readCommand(args)
  } catch (error) {
    complain(`${error.message}\n\n${usage}`)
    return BAD_USAGE
  }
  if (command === 'help') {
    console.log(usage)
    return 0
  }
  try {
    return await run(command)
  } catch (error) {
    complain(error.message)
    return 1
  }
}

const [command, ...others] = process.argv.slice(2)
if (command === CHILD && process.send !== undefined) await serve(others[0])
else if (Object.hasOwn(FILES, command ?? '')) {
  if (command !== 'top' || !refused("'top'")) process.exitCode = await runCommand(command, others)
} else if (command === 'help' && others.length === 0) console.log(usage)
else {
  const options = readCommandLine()
  if (options?.help) console.log(usage)
  else if (options?.version) console.log(readVersion())
  else if (options !== undefined) await run().catch(({ message }) => complain(message))
}
