import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { ADDON, execute, type Outcome, type Project, packAndInstall } from './installed.js'

let whole: Project
let removed: Project
beforeAll(async () => {
  whole = await packAndInstall()
  removed = whole.copy()
  rmSync(join(removed.packageFolder, ADDON))
})
afterAll(() => {
  for (const project of [whole, removed]) project.remove()
})

/** The program that npm links for `npx timeout-wheel`. */
function timeoutWheel(project: Project, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const program = join(project.folder, 'node_modules/.bin/timeout-wheel')
  return execute(program, args, project.folder, { TIMEOUT_WHEEL_BACKEND: undefined, ...env })
}

const WORKS = [
  'set and clear, at once',
  'set and clear, 1,000 in flight',
  'refresh one of 200,000 pending',
  'a pending timer',
  'set and fire, CPU each',
]
const FIGURES =
  / {2,}([\d,.]+) (?:ns|bytes) {2,}([\d,.]+) (?:ns|bytes) {2,}[\d.]+x {2,}([\d,.]+) (?:ns|bytes) {2,}[\d.]+x$/

/** The three figures of a line: of Node, of a handle, of a number. */
function figuresOf(output: string, work: string): number[] {
  const line = output.split('\n').find((one) => one.startsWith(work)) ?? ''
  const [, ...figures] = line.slice(work.length).match(FIGURES) ?? []
  return figures.map((figure) => Number(figure.replaceAll(',', '')))
}

describe('timeout-wheel, run from the installed tarball,', () => {
  it.each([
    ['the addon', 'native', (): Project => whole],
    ['WebAssembly where the addon is missing', 'wasm', (): Project => removed],
  ])('measures Node and %s', async (_, backend, project) => {
    const { code, stdout, stderr } = await timeoutWheel(project(), [])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`backend ${backend}; Node ${process.version}`)
    for (const work of WORKS) {
      const figures = figuresOf(stdout, work)
      expect({ work, count: figures.length }).toEqual({ work, count: 3 })
      for (const figure of figures) expect(figure).toBeGreaterThan(0)
    }
  })

  it('prints its version', async () => {
    const { version } = JSON.parse(
      (
        await execute(
          process.execPath,
          ['-p', "JSON.stringify(require('timeout-wheel/package.json'))"],
          whole.folder,
        )
      ).stdout,
    )
    expect(await timeoutWheel(whole, ['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it.each(['--help', '-h'])('prints its usage for %s', async (option) => {
    const { code, stdout, stderr } = await timeoutWheel(whole, [option])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: timeout-wheel \[--help \| --version\]\n/)
  })

  it.each([
    ['--turns=3', "Unknown option '--turns'"],
    ['--contender=native', "Unknown option '--contender'"],
    ['fast', "Unexpected argument 'fast'"],
    ['--help=yes', "Option '-h, --help' does not take an argument"],
  ])('refuses %s, and measures nothing', async (argument, message) => {
    const { code, stdout, stderr } = await timeoutWheel(whole, [argument])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^timeout-wheel: /)
    expect(stderr).toContain(message)
    expect(stderr).toContain('Usage: timeout-wheel')
  })

  it('names an environment that it cannot run in', async () => {
    const { code, stdout, stderr } = await timeoutWheel(whole, [], { TIMEOUT_WHEEL_BACKEND: 'gpu' })
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `timeout-wheel: TIMEOUT_WHEEL_BACKEND must be 'native' or 'wasm', got "gpu"\n`,
    })
  })
})
