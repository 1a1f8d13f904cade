/** Each package that depends on timers prints the same lines on Node's timers, on ours by `register`, and on ours by its own hook. */
import { join } from 'node:path'
import { virtualClock } from '../differential/clock.js'
import { runNode } from '../node/child.js'

const PROGRAMS = [
  // Their time limits guard sockets, which need real time.
  { name: 'undici', hook: false, clock: 'real' },
  { name: 'mqtt', hook: true, clock: 'real' },
  { name: 'fastify', hook: false, clock: 'real' },
  { name: 'lru-cache', hook: false, clock: 'virtual' },
  { name: 'p-timeout', hook: true, clock: 'virtual' },
  { name: 'query-core', hook: true, clock: 'virtual' },
]

interface Run {
  readonly lines: string[]
  /** The number of timers of each kind that the program made. */
  readonly made: { native: number; ours: number }
}

async function runProgram(name: string, flags: string[], env: NodeJS.ProcessEnv): Promise<Run> {
  const preload = ['--require', join(__dirname, 'count.cjs')]
  const file = join(__dirname, 'programs', `${name}.mjs`)
  const { code, signal, lines, stderr } = await runNode([...preload, ...flags, file], env)
  if (code !== 0 || !/^\{.*\}$/.test(stderr)) {
    throw new Error(`${name}, ended by ${signal ?? code} after [${lines}], printed to stderr:\n${stderr}`)
  }
  return { lines, made: JSON.parse(stderr) }
}

it.concurrent.each(PROGRAMS)("$name runs on our timers as on Node's", async ({ name, hook, clock }) => {
  // If time passes only while a program waits, a busy machine changes nothing.
  const env = clock === 'virtual' ? virtualClock() : {}
  // All runs at once, because most of them wait.
  const onNode = runProgram(name, [], env)
  const ways = hook ? ['register', 'hook'] : ['register']
  const runs = ['native', 'wasm'].flatMap((backend) =>
    ways.map(async (way) => {
      const flags = way === 'register' ? ['--require', 'timeout-wheel/register'] : []
      const own = way === 'hook' ? '1' : undefined
      const more = { TIMEOUT_WHEEL_BACKEND: backend, TIMERS_OF_ONES_OWN: own }
      const { lines, made } = await runProgram(name, flags, { ...env, ...more })
      const expected = { backend, way, lines: (await onNode).lines, isOurs: true }
      expect({ backend, way, lines, isOurs: made.ours > 2 }).toEqual(expected)
    }),
  )
  await Promise.all(runs)
  const { lines, made } = await onNode
  expect(lines.length).toBeGreaterThan(2)
  expect(made).toEqual({ native: expect.any(Number), ours: 0 })
})
