/** An installed package whose addon does not load: `timeout-wheel doctor`, TIMEOUT_WHEEL_DEBUG, and the error of a program that demands it. */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import {
  ADDON,
  COMMAND,
  execute,
  type Outcome,
  type Project,
  type Run,
  removeAddon,
  useProject,
} from './installed.js'

const PLATFORM = `${process.platform}-${process.arch}`

/** Changes the bytes of the addon. */
const change =
  (edit: (bytes: Buffer) => void) =>
  ({ packageFolder }: Project): void => {
    const bytes = readFileSync(join(packageFolder, ADDON))
    edit(bytes)
    writeFileSync(join(packageFolder, ADDON), bytes)
  }

/** The field of an ELF header with the processor. RISC-V has no addon. */
const E_MACHINE = 18
const RISC_V = 243

const whole = useProject()
const removed = useProject(removeAddon)
const damaged = useProject(change((bytes) => bytes.fill('damaged', 0, 64)))
const shortened = useProject(({ packageFolder }) => truncateSync(join(packageFolder, ADDON), 30_000))
const foreign = useProject(change((bytes) => bytes.writeUInt16LE(RISC_V, E_MACHINE)))

const doctor = (project: Project, env?: NodeJS.ProcessEnv, args: string[] = []): Promise<Outcome> =>
  execute(join(project.folder, COMMAND), ['doctor', ...args], project.folder, env)

/** Runs a timer, then prints the backend. */
const SHOW_BACKEND = `
  import { backend, setTimeout } from 'timeout-wheel'
  setTimeout(() => console.log(backend), 1)`

const HEAD = (project: Project): string =>
  `timeout-wheel ${version}, ${PLATFORM}, Node ${process.versions.node}, in ${project.packageFolder}`
const BEST = 'the best backend for this platform runs'
/** The parts of the message of an addon that does not load. */
const partsOf = ({ packageFolder }: Project, error: string, remedy: string): string[] => [
  `timeout-wheel has no addon for ${PLATFORM}, Node ${process.versions.node}: `,
  join(packageFolder, ADDON),
  error,
  `\nTo mend this, ${remedy}`,
]
const INSTALL = 'install timeout-wheel again on the machine that runs it'
const ALLOW = 'start Node without --no-addons'

it('says that the best backend runs', async () => {
  const stdout = [HEAD(whole), 'backend: native', BEST, ''].join('\n')
  expect(await doctor(whole)).toEqual({ code: 0, stdout, stderr: '' })
})

describe.each<[what: string, project: Project, env: NodeJS.ProcessEnv, error: string, remedy: string]>([
  ['is missing', removed, {}, 'ENOENT: no such file or directory', INSTALL],
  ['is damaged', damaged, {}, 'the file is cut off', INSTALL],
  ['is cut off', shortened, {}, 'the file is cut off after 30000 bytes', INSTALL],
  ['is for another processor', foreign, {}, 'cannot open shared object file', INSTALL],
  ['may not load', whole, { NODE_OPTIONS: '--no-addons' }, 'Cannot load native addon because', ALLOW],
])('an addon that %s', (_, project, env, error, remedy) => {
  it.concurrent("is named by doctor, with the loader's own error and the remedy", async () => {
    const { code, stdout, stderr } = await doctor(project, env)
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const head = `${HEAD(project)}\nbackend: wasm\n`
    for (const part of [head, ...partsOf(project, error, remedy)]) expect(stdout).toContain(part)
  })

  it.concurrent('is replaced by WebAssembly, without noise, and named once by TIMEOUT_WHEEL_DEBUG=1', async () => {
    const quiet = await project.run('backend.mjs', SHOW_BACKEND, { env })
    expect(quiet).toEqual({ code: 0, stdout: 'wasm\n', stderr: '' })
    const both = `${SHOW_BACKEND}\nimport { createRequire } from 'node:module'\ncreateRequire(import.meta.url)('timeout-wheel')`
    const outcome = await project.run('debug.mjs', both, { env: { ...env, TIMEOUT_WHEEL_DEBUG: '1' } })
    expect(outcome).toMatchObject({ code: 0, stdout: 'wasm\n' })
    for (const part of partsOf(project, error, remedy)) expect(outcome.stderr.split(part)).toHaveLength(2)
    expect(outcome.stderr).toMatch(/^timeout-wheel: backend wasm: /)
  })
})

const ADDON_LOADS = 'the addon loads: to use it, remove TIMEOUT_WHEEL_BACKEND from the environment'
it.each([
  ['wasm', whole, ['backend: wasm', ADDON_LOADS], 1],
  ['gpu', whole, ['backend: none', ADDON_LOADS], 1],
  ['native', removed, ['backend: none', expect.stringContaining(ADDON), expect.stringContaining(INSTALL)], 1],
])('says what the variable %s chooses', async (value, project, lines, code) => {
  const outcome = await doctor(project, { TIMEOUT_WHEEL_BACKEND: value })
  expect(outcome).toMatchObject({ code, stderr: '' })
  expect(outcome.stdout.split('\n')).toEqual([HEAD(project), ...lines, ''])
})

it('prints with TIMEOUT_WHEEL_DEBUG=1 what was chosen, and nothing without it', async () => {
  const run = (env: NodeJS.ProcessEnv) => whole.run('choice.mjs', SHOW_BACKEND, { env })
  expect(await run({ TIMEOUT_WHEEL_DEBUG: '' })).toEqual({ code: 0, stdout: 'native\n', stderr: '' })
  const native = await run({ TIMEOUT_WHEEL_DEBUG: '1' })
  expect(native.stderr).toBe('timeout-wheel: backend native: the addon loads\n')
  const forced = await run({ TIMEOUT_WHEEL_DEBUG: '1', TIMEOUT_WHEEL_BACKEND: 'wasm' })
  expect(forced.stderr).toBe('timeout-wheel: backend wasm: TIMEOUT_WHEEL_BACKEND demands it\n')
})

const FORCE_NATIVE: Run = { env: { TIMEOUT_WHEEL_BACKEND: 'native' } }

it.each<[string, Project, 'forced.mjs' | 'forced.cjs', string, Run]>([
  ['a missing addon', removed, 'forced.mjs', SHOW_BACKEND, FORCE_NATIVE],
  ['--no-addons', whole, 'forced.mjs', SHOW_BACKEND, { ...FORCE_NATIVE, flags: ['--no-addons'] }],
  ["import 'timeout-wheel/native'", removed, 'forced.mjs', "import 'timeout-wheel/native'", {}],
  ["require('timeout-wheel/native')", removed, 'forced.cjs', "require('timeout-wheel/native')", {}],
])('throws an error with the platform, the path and the remedy: %s', async (_, project, file, text, run) => {
  const { code, stderr } = await project.run(file, text, run)
  expect(code).not.toBe(0)
  const found = [`${process.platform}-${process.arch}`, join(project.packageFolder, ADDON)]
  for (const part of [...found, 'To mend this, ', 'ERR_NATIVE_BACKEND']) expect(stderr).toContain(part)
})
