/** The installed package in Bun and Deno, the oldest version that it supports and a recent one, and in the edge host of Next.js. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { execute, tool, useProject } from '../packed/installed.js'

const runtimes = process.env.TIMEOUT_WHEEL_RUNTIMES
if (runtimes === undefined) throw new Error('the runtimes are missing: run `npm test -- runtimes`')
/** The path of each runtime's file by its name. .tooling/runtimes.mjs installs them. */
const { edge, ...others }: Record<string, string> = JSON.parse(runtimes)

const project = useProject(({ folder }) =>
  cpSync(join(__dirname, 'programs'), join(folder, 'programs'), { recursive: true }),
)

/** Runs a command in the project, and returns its exit code, the printed lines and its errors. */
async function run([program, ...args]: string[], env?: NodeJS.ProcessEnv) {
  const { code, stdout, stderr } = await execute(program!, args, project.folder, { NO_COLOR: '1', ...env })
  return { code, lines: stdout.split('\n').filter((line) => line !== ''), stderr }
}

const CLI = 'node_modules/timeout-wheel/dist/cli.mjs'
const BEST = 'the best backend for this platform runs'
/** The command reads files of the package. */
const NO_PERMISSION = expect.stringContaining('--allow-read')

/** The commands of Bun and Deno, to which a program is added. */
const commands = Object.entries(others).flatMap(([name, file]) =>
  name.startsWith('deno')
    ? [
        // With this option, Deno throws instead of asking its user.
        { name: `${name} without permissions`, command: [file, 'run', '--quiet', '--no-prompt'] },
        { name: `${name} with all permissions`, command: [file, 'run', '--quiet', '--allow-all'] },
      ]
    : [{ name, command: [file] }],
)

describe.each(commands)('on $name: wasm', ({ name, command }) => {
  it.concurrent('each feature works', async () => {
    const { code, lines } = await run([...command, 'programs/features.mjs'])
    expect(lines.filter((line) => !line.endsWith(': works'))).toEqual([])
    expect({ code, features: lines.length }).toEqual({ code: 0, features: 18 })
  })

  it.concurrent('a variable of the environment counts if the program may read it', async () => {
    const env = { TIMEOUT_WHEEL_BACKEND: 'native' }
    const { code, stderr } = await run([...command, 'programs/life.mjs'], env)
    const message = /no addon for [\w-]+, (Bun|Deno) [\d.]+: addons with timers work only in Node/
    if (name.includes('without')) expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    else expect(stderr).toMatch(message)
  })

  it.concurrent('doctor finds nothing to mend', async () => {
    const { code, lines, stderr } = await run([...command, CLI, 'doctor'])
    if (name.includes('without')) expect({ code, stderr }).toEqual({ code: 1, stderr: NO_PERMISSION })
    else expect({ code, stderr, last: lines.at(-1) }).toEqual({ code: 0, stderr: '', last: BEST })
  })

  it.concurrent.each([
    [[], 'the measurement'],
    [['top', 'app.js'], "'top'"],
  ])('the command %j says that it needs Node', async (args, what) => {
    const message = `^timeout-wheel: ${what} needs Node, and this is (Bun|Deno) [\\d.]+\\. The timers`
    const stderr = expect.stringMatching(message)
    expect(await run([...command, CLI, ...args])).toEqual({ code: 1, lines: [], stderr })
  })

  // Before 2.8, the global timers of a program in Deno are those of the web, and differ from those that packages see.
  const isGlobal = !/deno-2\.[16]/.test(name)
  const programs: [what: string, program: string, lines: string, except?: RegExp][] = [
    ['lives as long as it has timers with a reference', 'life', 'start, shared, wheel'],
    ['runs the timers after a callback that throws', 'throws', 'caught second, first, third'],
    // Servers of Deno 2.1 to 2.7 report no connections. In Deno, a server needs a permission.
    ['closes idle connections of a server', 'http', 'closed', /deno-2\.[16]|without/],
    [
      'replaces the timers by register, and restores them',
      'register',
      `again: false, node:timers: true, node:timers/promises: true, global: ${isGlobal}, left: , restored: true, after: false`,
    ],
  ]
  const possible = programs.filter(([, , , except]) => !except?.test(name))

  it.concurrent.each(possible)('a program %s', async (_, program, expected) => {
    const { lines, ...end } = await run([...command, `programs/${program}.mjs`])
    expect({ ...end, lines: lines.join(', ') }).toEqual({ code: 0, stderr: '', lines: expected })
  })
})

it('the edge host of Next.js, whose MessageChannel throws: answers 50 concurrent requests', async () => {
  // Next.js bundles a route with these conditions.
  const options = ['--bundle', '--conditions=edge-light,worker,browser', '--outfile=route.js']
  expect(await run([tool('esbuild'), 'programs/edge-route.mjs', ...options])).toMatchObject({ code: 0 })
  const host = [process.execPath, 'programs/edge.cjs', edge!, 'route.js']
  expect(await run(host)).toEqual({ code: 0, lines: ['answered 50'], stderr: '' })
})
