/** An installed package whose addon does not load: `timeout-wheel doctor`, TIMEOUT_WHEEL_DEBUG, and the error of a program that demands it. */
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
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
const shortened = useProject(({ packageFolder }) => truncateSync(join(packageFolder, ADDON), 60_000))
const foreign = useProject(change((bytes) => bytes.writeUInt16LE(RISC_V, E_MACHINE)))
const untraced = useProject(({ packageFolder }) =>
  rmSync(join(packageFolder, 'prebuilds'), { recursive: true }),
)

const doctor = (project: Project, env?: NodeJS.ProcessEnv, args: string[] = []): Promise<Outcome> =>
  execute(join(project.folder, COMMAND), ['doctor', ...args], project.folder, env)

/** Runs a timer, then prints the backend. */
const SHOW_BACKEND = `
  import { backend, setTimeout } from 'timeout-wheel'
  setTimeout(() => console.log(backend), 1)`

it('says that the best backend runs', async () => {
  const { code, stdout, stderr } = await doctor(whole)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const line of [
    `version    timeout-wheel ${version}`,
    `runtime    Node ${process.versions.node}`,
    `package    ${whole.packageFolder}`,
    `addon      ${join(whole.packageFolder, ADDON)}`,
    '           loads',
    'backend    native, because the addon loads',
    'result     the best backend for this platform runs',
  ])
    expect(stdout.split('\n')).toContain(line)
  expect(stdout).toMatch(
    new RegExp(`^platform {3}${PLATFORM}${process.platform === 'linux' ? '-(glibc|musl)' : ''}`, 'm'),
  )
  expect(stdout).toMatch(RegExp(`the package has addons for .*${PLATFORM}`))
})

const AGAIN = 'remove node_modules and install the packages again'

describe.each<[what: string, project: Project, env: NodeJS.ProcessEnv, reason: string, remedy: string]>([
  ['is missing', removed, {}, 'the file is not there', AGAIN],
  ['was left out with its folder', untraced, {}, 'the file is not there', 'let it copy the folder prebuilds'],
  ['is damaged', damaged, {}, 'the file is damaged, or it is for another platform', AGAIN],
  ['is cut off', shortened, {}, 'the file is damaged, or it is for another platform', AGAIN],
  ['is for another processor', foreign, {}, 'the file is damaged, or it is for another platform', AGAIN],
  [
    'may not load',
    whole,
    { NODE_OPTIONS: '--no-addons' },
    'this process may not load addons',
    'start Node without --no-addons',
  ],
])('an addon that %s', (_, project, env, reason, remedy) => {
  it.concurrent('is named by doctor, with the remedy', async () => {
    const { code, stdout, stderr } = await doctor(project, env)
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const lines = stdout.split('\n')
    expect(lines).toContain(`addon      ${join(project.packageFolder, ADDON)}`)
    expect(lines).toContain(`backend    wasm, because ${reason}`)
    expect(lines).toContain('result     not the best backend')
    expect(stdout).toContain('           does not load: ')
    expect(lines.find((line) => line.startsWith('           to mend this, '))).toContain(remedy)
  })

  it.concurrent('is replaced by WebAssembly, without noise, and named once by TIMEOUT_WHEEL_DEBUG=1', async () => {
    const quiet = await project.run('backend.mjs', SHOW_BACKEND, { env })
    expect(quiet).toEqual({ code: 0, stdout: 'wasm\n', stderr: '' })
    const both = `${SHOW_BACKEND}\nimport { createRequire } from 'node:module'\ncreateRequire(import.meta.url)('timeout-wheel')`
    const outcome = await project.run('debug.mjs', both, { env: { ...env, TIMEOUT_WHEEL_DEBUG: '1' } })
    expect(outcome).toMatchObject({ code: 0, stdout: 'wasm\n' })
    const lines = outcome.stderr.trimEnd().split('\n')
    expect(lines).toEqual([
      expect.stringContaining(`timeout-wheel: ${PLATFORM}`),
      expect.stringContaining(`timeout-wheel: tried ${join(project.packageFolder, ADDON)}: `),
      `timeout-wheel: the addon does not run: ${reason}`,
      expect.stringContaining(remedy),
      'timeout-wheel: backend: wasm',
    ])
  })
})

it.each([
  ['wasm', 'wasm, because TIMEOUT_WHEEL_BACKEND is "wasm"', 1],
  ['native', 'native, because TIMEOUT_WHEEL_BACKEND is "native"', 0],
  ['gpu', `none: TIMEOUT_WHEEL_BACKEND must be 'native' or 'wasm', got "gpu"`, 1],
])('says what the variable %s chooses', async (value, backend, code) => {
  const outcome = await doctor(whole, { TIMEOUT_WHEEL_BACKEND: value })
  expect(outcome).toMatchObject({ code, stderr: '' })
  expect(outcome.stdout).toContain(`backend    ${backend}\n`)
  const remedy = 'to mend this, remove TIMEOUT_WHEEL_BACKEND from the environment'
  expect(outcome.stdout.includes(remedy)).toBe(code === 1)
})

it('names both remedies if the addon is demanded and does not load', async () => {
  const { code, stdout } = await doctor(removed, { TIMEOUT_WHEEL_BACKEND: 'native' })
  expect(code).toBe(1)
  expect(stdout).toMatch(/backend {4}none: timeout-wheel has no native addon/)
  expect(stdout).toMatch(/to mend this, remove node_modules .*; or remove TIMEOUT_WHEEL_BACKEND/)
})

it('prints with TIMEOUT_WHEEL_DEBUG=1 what was chosen, and nothing without it', async () => {
  const run = (env: NodeJS.ProcessEnv) => whole.run('choice.mjs', SHOW_BACKEND, { env })
  expect(await run({ TIMEOUT_WHEEL_DEBUG: '' })).toEqual({ code: 0, stdout: 'native\n', stderr: '' })
  const native = await run({ TIMEOUT_WHEEL_DEBUG: '1' })
  expect(native.stderr).toMatch(
    /^timeout-wheel: .*\ntimeout-wheel: the addon is loaded\ntimeout-wheel: backend: native\n$/,
  )
  const forced = await run({ TIMEOUT_WHEEL_DEBUG: '1', TIMEOUT_WHEEL_BACKEND: 'wasm' })
  expect(forced.stderr).toMatch(/\ntimeout-wheel: backend: wasm, as TIMEOUT_WHEEL_BACKEND demands\n$/)
})

it('refuses an unknown option', async () => {
  const { code, stderr } = await doctor(whole, {}, ['--fast'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/^timeout-wheel doctor: Unknown option '--fast'.*Usage: timeout-wheel doctor/s)
})

const FORCE_NATIVE: Run = { env: { TIMEOUT_WHEEL_BACKEND: 'native' } }

it.each<[string, Project, 'forced.mjs' | 'forced.cjs', string, Run]>([
  ['a missing addon', removed, 'forced.mjs', SHOW_BACKEND, FORCE_NATIVE],
  ['a damaged addon', damaged, 'forced.mjs', SHOW_BACKEND, FORCE_NATIVE],
  ['--no-addons', whole, 'forced.mjs', SHOW_BACKEND, { ...FORCE_NATIVE, flags: ['--no-addons'] }],
  ["import 'timeout-wheel/native'", removed, 'forced.mjs', "import 'timeout-wheel/native'", {}],
  ["require('timeout-wheel/native')", removed, 'forced.cjs', "require('timeout-wheel/native')", {}],
])('throws an error with the platform, the path and the remedy: %s', async (_, project, file, text, run) => {
  const { code, stderr } = await project.run(file, text, run)
  expect(code).not.toBe(0)
  const found = [`${process.platform}-${process.arch}`, join(project.packageFolder, ADDON)]
  for (const part of [...found, 'timeout-wheel/wasm', 'ERR_NATIVE_BACKEND']) expect(stderr).toContain(part)
})

it("lets a program that catches the error of import('timeout-wheel/native') continue", async () => {
  const outcome = await removed.run(
    'caught.mjs',
    `await import('timeout-wheel/native').catch((error) => console.log(error.code))
    setTimeout(() => console.log('goes on'), 1)`,
  )
  expect(outcome).toEqual({ code: 0, stdout: 'ERR_NATIVE_BACKEND\ngoes on\n', stderr: '' })
})
