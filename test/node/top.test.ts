/** `timeout-wheel top` runs a program, shows its timers apart from its output, and exits with its code. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Outcome, ROOT, runNode, runShell } from './child.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'top-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const top = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> =>
  runNode([join(ROOT, 'dist/cli.mjs'), 'top', ...args], env)

function program(name: string, source: string): string {
  const file = join(folder, name)
  writeFileSync(file, source)
  return file
}

/** Blocks the event loop of a program, which ends by itself if a test fails to end it. */
const BLOCK = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000)'

const row = (outcome: Outcome, name: string): string[] =>
  outcome.lines.find((line) => line.startsWith(name))?.split(/ {2,}/) ?? []

describe.each(['native', 'wasm'])('on %s', (backend) => {
  const env = { TIMEOUT_WHEEL_BACKEND: backend }

  it('shows the timers of a program once it has ended', async () => {
    const file = program(
      'app.cjs',
      `
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
      setTimeout(() => {}, 1e9).unref()
    `,
    )
    const outcome = await top(['--once', file, 'a', '--once'], env)
    expect(outcome.code).toBe(7)
    expect(outcome.stderr).toBe('printed a,--once\ncomplained\n')
    expect(outcome.lines.filter((line) => line.startsWith('timers after'))).toHaveLength(1)
    expect(row(outcome, 'shared')[1]).toBe('2')
    expect(row(outcome, 'sessions')[1]).toBe('51')
    expect(row(outcome, 'poll')[1]).toBe('3')
    expect(row(outcome, 'end')[1]).toBe('1')
    expect(row(outcome, 'dropped')[1]).toBe('2')
    // The timer of a map is known by what is left of it.
    expect(row(outcome, '10 s')[1]).toBe('2')
    expect(row(outcome, '1 min')[1]).toBe('50')
    expect(row(outcome, 'longer')[1]).toBe('1')
  })
})

it('prints a block for each second, and ends the program after --seconds', async () => {
  const file = program('endless.mjs', 'setInterval(function tick() {}, 10)')
  const outcome = await top(['--seconds', '2.5', file])
  expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 0, stderr: '' })
  // Two, and one of the end. A busy machine can start the program late.
  const blocks = outcome.lines.filter((line) => line.startsWith('timers after'))
  expect(blocks.length).toBeGreaterThan(0)
  expect(blocks.length).toBeLessThanOrEqual(3)
})

describe('the last report', () => {
  const blocks = (outcome: Outcome): string[] =>
    outcome.lines.filter((line) => line.startsWith('timers after'))
  const lastBlock = ({ lines }: Outcome): string[] =>
    lines.slice(lines.lastIndexOf(lines.filter((line) => line.startsWith('timers after')).at(-1)!))
  const LATE = /^The program ended (\d+\.\d) s after this report\.$/
  const age = (outcome: Outcome): number => Number(LATE.exec(outcome.lines.at(-1)!)?.[1] ?? 0)

  it('is asked for at the end of --seconds', async () => {
    // After the reports of every second, unless the program starts slowly.
    const file = program(
      'late.cjs',
      `setInterval(() => {}, 1e6)
      setTimeout(function once() {}, 2300 - performance.now())`,
    )
    const outcome = await top(['--seconds', '2.5', file])
    expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 0, stderr: '' })
    expect(row({ ...outcome, lines: lastBlock(outcome) }, 'once')[1]).toBe('1')
  })

  it('is printed with --once also before the first second has passed', async () => {
    const outcome = await top(['--once', '--seconds', '1', program('short.cjs', 'setInterval(() => {}, 10)')])
    expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 0, stderr: '' })
    expect(blocks(outcome)).toHaveLength(1)
  })

  it('is asked for before a signal to the view is passed on', async () => {
    const file = program(
      'ends-view.cjs',
      `setInterval(() => {}, 1e6)
      setTimeout(function once() { process.kill(process.ppid, 'SIGTERM') }, 100)`,
    )
    const outcome = await top(['--once', file])
    expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 143, stderr: '' })
    expect(row(outcome, 'once')[1]).toBe('1')
  })

  it('is the last that a blocked program has sent, with its age', async () => {
    const file = program('blocks.cjs', `setTimeout(() => { ${BLOCK} }, 1300)`)
    const outcome = await top(['--once', '--seconds', '3', file])
    expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 0, stderr: '' })
    expect(blocks(outcome)).toHaveLength(1)
    // The report is of the first second, and the end 1 s after the third.
    expect(age(outcome)).toBeGreaterThan(1)
  })

  it('is missed aloud if there is none', async () => {
    for (const [name, source, code] of [
      ['blocked', BLOCK, 0],
      ['killed', `process.kill(process.pid, 'SIGKILL')`, 137],
    ] as const) {
      const outcome = await top(['--once', '--seconds', '0.5', program(`${name}.cjs`, source)])
      expect({ name, code: outcome.code, lines: outcome.lines, stderr: outcome.stderr }).toEqual({
        name,
        code,
        lines: [],
        stderr: 'timeout-wheel top: the program has ended without a report\n',
      })
    }
  })

  it.each([
    ['ends by itself', 'setTimeout(function once() {}, 20)', 0],
    ['exits at once', 'process.exit(3)', 3],
    ['throws at once', `throw new Error('thrown')`, 1],
    ['rejects', `Promise.reject(new Error('thrown'))`, 1],
    ['handles SIGTERM', `process.on('SIGTERM', () => process.exit(4)); setInterval(() => {}, 1e6)`, 4],
  ])('is of the end of a program that %s', async (name, source, code) => {
    const args = name.includes('SIGTERM') ? ['--seconds', '0.5'] : []
    const outcome = await top(['--once', ...args, program('ends.cjs', source)])
    expect(outcome.code).toBe(code)
    expect(blocks(outcome)).toHaveLength(1)
    expect(age(outcome)).toBe(0)
    if (source.includes('once')) expect(row(outcome, 'once')[1]).toBe('1')
  })
})

it('ends a program that ignores SIGTERM, and says so', async () => {
  const file = program(
    'ignores.cjs',
    `process.on('SIGTERM', () => {})
    console.log(process.pid)
    setInterval(function tick() { if (performance.now() > 30_000) process.exit(9) }, 10)`,
  )
  const outcome = await top(['--once', '--seconds', '0.5', file])
  expect(outcome.code).toBe(0)
  expect(row(outcome, 'tick').length).toBeGreaterThan(0)
  const [pid, message] = outcome.stderr.split('\n')
  expect(message).toBe('timeout-wheel top: SIGTERM did not end the program within 5 s, so SIGKILL did')
  expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH')
})

it('ends with a program that leaves behind a process with its output', async () => {
  const file = program(
    'leaves.cjs',
    `const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 20_000)'], { stdio: 'inherit', detached: true })
    child.unref()
    console.log(child.pid)
    setTimeout(() => {}, 20)`,
  )
  const outcome = await top(['--once', file])
  const pid = Number(outcome.stderr)
  // It is still there, so nothing else has closed the output.
  process.kill(pid, 'SIGKILL')
  expect(outcome.code).toBe(0)
})

it('passes on all that a program prints before it ends', async () => {
  const file = program(
    'prints.cjs',
    `const line = 'x'.repeat(99) + '\\n'
    setTimeout(() => { for (let i = 0; i < 50_000; i++) process.stdout.write(line) }, 5)`,
  )
  const shell = `"$0" "$@" 2>&1 >/dev/null | wc -c`
  const outcome = await runShell(shell, [process.execPath, join(ROOT, 'dist/cli.mjs'), 'top', '--once', file])
  expect(Number(outcome.lines[0])).toBe(5_000_000)
})

it('ends as a program that does not exist', async () => {
  expect((await top([join(folder, 'missing.js')])).code).toBe(1)
})

it("shows no timers of a program's own children and workers, and lets them run", async () => {
  const file = program(
    'parent.cjs',
    `
    const { fork } = require('node:child_process')
    const { Worker } = require('node:worker_threads')
    if (process.send !== undefined) setTimeout(function ofChild() { process.exit(process.env.TIMEOUT_WHEEL_TOP ? 1 : 0) }, 5)
    else {
      fork(__filename).on('exit', (code) => {
        const worker = new Worker('setTimeout(function ofWorker() {}, 5)', { eval: true })
        worker.on('exit', (ofWorker) => setTimeout(function done() { process.exitCode = code + ofWorker + 5 }, 5))
      })
    }
  `,
  )
  const outcome = await top(['--once', file])
  expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 5, stderr: '' })
  expect(row(outcome, 'done')[1]).toBe('1')
  expect(row(outcome, 'ofChild')).toEqual([])
  expect(row(outcome, 'ofWorker')).toEqual([])
})

it.each([[[]], [['--seconds', '0', 'app.js']], [['--often', 'app.js']]])(
  'refuses the arguments %p',
  async (args) => {
    const outcome = await top(args)
    expect(outcome.code).toBe(2)
    expect(outcome.lines).toEqual([])
    expect(outcome.stderr).toMatch(/^timeout-wheel top: .+\n\nUsage: timeout-wheel top /)
  },
)

it('prints its usage for --help', async () => {
  const outcome = await top(['--help'])
  expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 0, stderr: '' })
  expect(outcome.lines[0]).toMatch(/^Usage: timeout-wheel top /)
})
