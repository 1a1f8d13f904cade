/** `timeout-wheel top` runs a program, shows its timers apart from its output, and exits with its code. Most programs here wait. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../temporary-folder.js'
import { type Outcome, ROOT, runNode, runShell } from './child.js'

const folder = temporaryFolder()
const CLI = join(ROOT, 'dist/cli.mjs')
const top = (args: string[], env = {}): Promise<Outcome> => runNode([CLI, 'top', ...args], env)

let programs = 0
function program(source: string): string {
  const file = join(folder, `${++programs}.cjs`)
  writeFileSync(file, source)
  return file
}
/** Runs a program, and shows its last report alone. @param options of the view */
const once = (source: string, ...options: string[]): Promise<Outcome> =>
  top(['--once', ...options, program(source)])

/** Blocks the event loop of a program, which ends by itself if a test fails to end it. */
const BLOCK = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000)'
const blocks = ({ lines }: Outcome): number => lines.filter((line) => line.startsWith('timers after')).length
/** The number of a row of the last report. */
function numberIn({ lines }: Outcome, name: string): string | undefined {
  const rows = lines.filter((line) => line.startsWith(name))
  return rows.at(-1)?.split(/ {2,}/)[1]
}

interface Case {
  title: string
  source: string
  args?: string[]
  env?: NodeJS.ProcessEnv
  code?: number
  stderr?: string
  /** Rows of the report by name, and their numbers. */
  rows?: Record<string, number>
}

const ALL = `
  console.log('printed', process.argv.slice(2).join())
  console.error('complained')
  const { TimeoutMap, TimerWheel } = require(${JSON.stringify(join(ROOT, 'dist/node.cjs'))})
  const wheel = new TimerWheel({ name: 'sessions', unref: true })
  const group = wheel.group(() => {}, 60_000)
  for (let i = 0; i < 50; i++) group.add(i)
  wheel.schedule(() => {}, 5000)
  const map = new TimeoutMap({ ttl: 2, onExpire: function dropped() {} }).set('a', 1).set('b', 2)
  map.set('later', 3, 8000)
  let runs = 0
  const interval = setInterval(function poll() { if (++runs === 3) clearInterval(interval) }, 2)
  setTimeout(function end() { process.exitCode = 7 }, 20)
  setTimeout(() => {}, 1e9).unref()`

it.concurrent.each<Case>([
  ...['native', 'wasm'].map((TIMEOUT_WHEEL_BACKEND) => ({
    title: `has all timers of a program that ends, on ${TIMEOUT_WHEEL_BACKEND}`,
    source: ALL,
    env: { TIMEOUT_WHEEL_BACKEND },
    code: 7,
    stderr: 'printed a,-h\ncomplained\n',
    rows: { shared: 2, sessions: 51, poll: 3, end: 1, dropped: 2 },
  })),
  { title: 'is of the end of a program that exits at once', source: 'process.exit(3)', code: 3 },
  ...[`throw new Error('thrown')`, `Promise.reject(new Error('thrown'))`].map((source) => ({
    title: `is of the end of a program that fails at once: ${source}`,
    source,
    code: 1,
    stderr: expect.stringContaining('Error: thrown') as never,
  })),
  {
    title: 'is of the end of a program that handles SIGTERM',
    source: `process.on('SIGTERM', () => process.exit(4)); setInterval(() => {}, 1e6)`,
    args: ['--seconds', '3'],
    code: 4,
  },
  {
    title: 'is of just before if a signal to the view, which is passed on, ends the program',
    source: `setInterval(() => {}, 1e6); setTimeout(function once() { process.kill(process.ppid, 'SIGTERM') }, 400)`,
    code: 143,
    rows: { shared: 2 },
  },
  {
    title: 'has no timers of children and workers, which run',
    source: `
      const { fork } = require('node:child_process')
      const { Worker } = require('node:worker_threads')
      if (process.send !== undefined) setTimeout(function ofChild() { process.exit(process.env.TIMEOUT_WHEEL_TOP ? 1 : 0) }, 5)
      else {
        fork(__filename).on('exit', (code) => {
          const worker = new Worker('setTimeout(function ofWorker() {}, 5)', { eval: true })
          worker.on('exit', (ofWorker) => setTimeout(function done() { process.exitCode = code + ofWorker + 5 }, 5))
        })
      }`,
    code: 5,
    rows: { done: 1 },
  },
])('the last report $title', async ({ source, args = [], env, code = 0, stderr = '', rows = {} }) => {
  const outcome = await top(['--once', ...args, program(source), 'a', '-h'], env)
  expect(outcome).toMatchObject({ code, stderr })
  expect(blocks(outcome)).toBe(1)
  const seen = Object.keys(rows).map((name) => [name, Number(numberIn(outcome, name))])
  expect(Object.fromEntries(seen)).toEqual(rows)
  expect(outcome.lines.join()).not.toMatch(/ofChild|ofWorker/)
})

it.concurrent.each([
  [BLOCK, 0, '--seconds', '0.5'],
  [`process.kill(process.pid, 'SIGKILL')`, 137],
])('the last report is missed aloud if there is none: %s', async (source, code, ...options) => {
  const stderr = 'timeout-wheel top: the program has ended without a report\n'
  expect(await once(source, ...(options as string[]))).toMatchObject({ code, lines: [], stderr })
})

it.concurrent('passes on all that a program prints before it ends', async () => {
  const source = `const line = 'x'.repeat(99) + '\\n'
    setTimeout(() => { for (let i = 0; i < 50_000; i++) process.stdout.write(line) }, 5)`
  const shell = `"$0" "$@" 2>&1 >/dev/null | wc -c`
  const outcome = await runShell(shell, [process.execPath, CLI, 'top', '--once', program(source)])
  expect(Number(outcome.lines[0])).toBe(5_000_000)
})

it.concurrent('ends as a program that does not exist, refuses options that are none, and prints its usage', async () => {
  expect((await top([join(folder, 'missing.js')])).code).toBe(1)
  const stderr = expect.stringMatching(/^timeout-wheel top: .+\n\nUsage: timeout-wheel top /)
  expect(await top(['--often', 'app.js'])).toMatchObject({ code: 2, lines: [], stderr })
  const help = await top(['-h', 'app.js'])
  expect(help).toMatchObject({ code: 0, stderr: '' })
  expect(help.lines[0]).toMatch(/^Usage: timeout-wheel top /)
})
