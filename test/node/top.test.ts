/** `timeout-wheel top` runs a program, shows its timers apart from its output, and exits with its code. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Outcome, ROOT, runNode } from './child.js'

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
      const { TimerWheel } = require(${JSON.stringify(join(ROOT, 'dist/node.cjs'))})
      const wheel = new TimerWheel({ name: 'sessions', unref: true })
      const group = wheel.group(() => {}, 60_000)
      for (let i = 0; i < 50; i++) group.add(i)
      wheel.schedule(() => {}, 5000)
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
    expect(row(outcome, 'shared')[1]).toBe('1')
    expect(row(outcome, 'sessions')[1]).toBe('51')
    expect(row(outcome, 'poll')[1]).toBe('3')
    expect(row(outcome, 'end')[1]).toBe('1')
    expect(row(outcome, '10 s')[1]).toBe('1')
    expect(row(outcome, '1 min')[1]).toBe('50')
    expect(row(outcome, 'longer')[1]).toBe('1')
  })
})

it('prints a block for each second, and ends the program after --seconds', async () => {
  const file = program('endless.mjs', 'setInterval(function tick() {}, 10)')
  const outcome = await top(['--seconds', '2.5', file])
  expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 0, stderr: '' })
  // A busy machine can start the program late.
  expect(outcome.lines.filter((line) => line.startsWith('timers after')).length).toBeLessThanOrEqual(2)
})

it('tells that a signal has ended the program, as a shell does', async () => {
  const file = program('killed.cjs', `setTimeout(() => process.kill(process.pid, 'SIGKILL'), 5)`)
  expect((await top([file])).code).toBe(137)
})

it('ends as a program that throws or does not exist', async () => {
  const file = program('throws.cjs', `setTimeout(() => { throw new Error('thrown') }, 5)`)
  const outcome = await top(['--once', file])
  expect(outcome.code).toBe(1)
  expect(outcome.stderr).toContain('Error: thrown')
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
