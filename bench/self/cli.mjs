#!/usr/bin/env node
/** `npx timeout-wheel`: measures this machine for about ten seconds. tsdown.config.ts builds it into dist/cli.mjs. */
import { readFileSync } from 'node:fs'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { formatColumns } from '../report/format.mjs'
import { CHILD, isContender, measure, serve } from './measure.mjs'

const usage = `Usage: timeout-wheel [--help | --version]
       timeout-wheel doctor
       timeout-wheel top <program> [arguments]

Measures the timers of Node and of timeout-wheel on this machine, in turn, for
about ten seconds. Prints a table; less is better.

  doctor         say which backend runs here, and what keeps the best one away
  top            start a program and show its timers: timeout-wheel top --help
  durable        show durable timers: timeout-wheel durable --help
  -h, --help     print this
  -v, --version  print the version of the package`

const readVersion = () =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version

/**
 * @returns {string | undefined} the name of the runtime, if it is not Node. Node lists its own internal modules; others have none,
 *   as lib/node/host/is-node.ts says
 */
function otherRuntime() {
  const loaded = /** @type {{ moduleLoadList?: string[] }} */ (/** @type {unknown} */ (process))
    .moduleLoadList
  if (loaded?.includes('NativeModule internal/timers')) return undefined
  const { bun, deno } = process.versions
  return bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : 'another runtime'
}

/** @param {string} command  @returns whether it is refused, because both commands need what only Node has */
function refused(command) {
  const runtime = otherRuntime()
  if (runtime === undefined) return false
  console.error(
    `timeout-wheel: ${command} needs Node, and this is ${runtime}. The timers of the package do run here, on WebAssembly.`,
  )
  process.exitCode = 1
  return true
}

function complain(error) {
  console.error(`timeout-wheel: ${error instanceof Error ? error.message : error}`)
  process.exitCode = 1
}

function readCommandLine() {
  try {
    const { values } = parseArgs({
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    })
    return values
  } catch (error) {
    complain(error)
    console.error(`\n${usage}`)
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
  const progress = process.stderr.isTTY
  const medians = await measure(fileURLToPath(import.meta.url), ({ label }) => {
    if (progress) process.stderr.write(`\r\x1b[K${label} ...`)
  })
  if (progress) process.stderr.write('\r\x1b[K')
  const lines = [...medians].map(([{ label, unit }, [native, ...ours]]) => [
    label,
    formatFigure(native, unit),
    ...ours.flatMap((figure) => [formatFigure(figure, unit), `${(figure / native).toFixed(2)}x`]),
  ])
  const header = ['', "Node's setTimeout", 'setTimeout', 'to Node', 'schedule', 'to Node']
  console.log(formatColumns([header, ...lines]))
  console.log('\nLess is better. Run it twice on a quiet machine before you rely on it.')
}

const [argument] = process.argv.slice(2)
const contender = argument?.startsWith(`${CHILD}=`) ? argument.slice(CHILD.length + 1) : undefined
if (contender !== undefined && isContender(contender) && process.send !== undefined) {
  await serve(contender)
} else if (argument === 'top' && !refused("'top'")) {
  const { top } = await import(new URL('./top.mjs', import.meta.url).href)
  await top(process.argv.slice(3))
} else if (argument === 'doctor') {
  const { doctor } = await import(new URL('./doctor.mjs', import.meta.url).href)
  process.exitCode = await doctor(process.argv.slice(3))
} else if (argument === 'durable') {
  const { durable } = await import(new URL('./durable-command.mjs', import.meta.url).href)
  process.exitCode = await durable(process.argv.slice(3))
} else if (argument !== 'top') {
  const options = readCommandLine()
  if (options?.help) console.log(usage)
  else if (options?.version) console.log(readVersion())
  else if (options !== undefined) await run().catch(complain)
}
