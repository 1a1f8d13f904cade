/**
 * Packages that depend on timers behave the same on Node's timers and on ours. Each has a program, which runs on Node's
 * timers, on ours by `timeout-wheel/register`, and on ours by the package's own hook for timers, if it has one. All runs
 * print the same lines.
 */
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../differential/clock.js'
import { type Outcome, runNode } from '../node/child.js'

const PROGRAMS = [
  // Their time limits guard sockets, which need real time.
  { name: 'undici', hook: false, clock: 'real' },
  { name: 'mqtt', hook: true, clock: 'real' },
  { name: 'lru-cache', hook: false, clock: 'virtual' },
  { name: 'p-timeout', hook: true, clock: 'virtual' },
  { name: 'query-core', hook: true, clock: 'virtual' },
]
const BACKENDS = ['native', 'wasm']

interface Run extends Pick<Outcome, 'code' | 'lines'> {
  /** The number of timers of each kind that the program made. */
  made: { native: number; ours: number }
}

async function runProgram(name: string, flags: string[], env: NodeJS.ProcessEnv = {}): Promise<Run> {
  const preload = ['--require', join(__dirname, 'count.cjs')]
  const file = join(__dirname, 'programs', `${name}.mjs`)
  const { code, signal, lines, stderr } = await runNode([...preload, ...flags, file], env)
  if (!/^\{.*\}$/.test(stderr)) {
    throw new Error(`${name}, ended by ${signal ?? code} after [${lines}], printed to stderr:\n${stderr}`)
  }
  return { code, lines, made: JSON.parse(stderr) }
}

describe.each(PROGRAMS)('$name', ({ name, hook, clock }) => {
  // If time passes only while a program waits, a busy machine changes nothing.
  const env = clock === 'virtual' ? virtualClock() : {}
  const byRegister = (backend: string): Promise<Run> =>
    runProgram(name, ['--require', 'timeout-wheel/register'], { ...env, TIMEOUT_WHEEL_BACKEND: backend })
  const byHook = (backend: string): Promise<Run> =>
    runProgram(name, [], { ...env, TIMERS_OF_ONES_OWN: '1', TIMEOUT_WHEEL_BACKEND: backend })

  /** All runs at once, because most of them wait. */
  let all: Promise<{ native: Run; register: Run[]; hook: Run[] }> | undefined
  const runs = () => {
    all ??= Promise.all([
      runProgram(name, [], env),
      Promise.all(BACKENDS.map(byRegister)),
      Promise.all(hook ? BACKENDS.map(byHook) : []),
    ]).then(([native, register, ofHook]) => ({ native, register, hook: ofHook }))
    return all
  }

  it("runs to its end on Node's timers", async () => {
    const { code, lines, made } = (await runs()).native
    expect(code).toBe(0)
    expect(lines.length).toBeGreaterThan(2)
    expect(made).toMatchObject({ native: expect.any(Number), ours: 0 })
  })

  it.each(BACKENDS)('does the same on ours by register, on %s', async (backend) => {
    const { native, register } = await runs()
    const { code, lines, made } = register[BACKENDS.indexOf(backend)]!
    expect({ code, lines }).toEqual({ code: 0, lines: native.lines })
    expect(made.ours).toBeGreaterThan(2)
  })

  if (hook) {
    it.each(BACKENDS)('does the same on ours by its own hook, on %s', async (backend) => {
      const { native, hook } = await runs()
      const { code, lines, made } = hook[BACKENDS.indexOf(backend)]!
      expect({ code, lines }).toEqual({ code: 0, lines: native.lines })
      expect(made.ours).toBeGreaterThan(2)
    })
  }
})
