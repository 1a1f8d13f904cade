/** The program that npm links for `npx timeout-wheel`, from the installed tarball. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { scaled } from '../scale.js'
import { COMMAND, execute, type Outcome, type Project, removeAddon, useProject } from './installed.js'

const whole = useProject()
const removed = useProject(removeAddon)

const timeoutWheel = (project: Project, args: string[], env?: NodeJS.ProcessEnv): Promise<Outcome> =>
  execute(join(project.folder, COMMAND), args, project.folder, env)

const WORKS = [
  'set and clear, 16 in a turn',
  'set and clear, 1,000 in a turn',
  'refresh, 16 in a turn',
  'refresh, 1,000 in a turn',
  'refresh one of 200,000 pending',
  'a pending timer',
  'set and fire, CPU each',
]
/** A figure of Node, and those of a handle and of a number, each with its ratio. None is 0. */
const FIGURE = '(?=[\\d,.]*[1-9])[\\d,.]+ (?:ns|bytes)'
const FIGURES = ` {2,}${FIGURE} {2,}${FIGURE} {2,}[\\d.]+x {2,}${FIGURE} {2,}[\\d.]+x`

/**
 * The measuring processes do less work, and none of the figures is missing. Bytes are measured in full, or they would be lost among those
 * that are freed meanwhile. No listener is added, because with the first one Node emits messages, and those before the second would be lost.
 */
const LESS = `const { on } = process
process.on = function (name, listener) {
  if (name !== 'message') return on.call(this, name, listener)
  return on.call(this, name, (message) => {
    const { loop, options } = message
    if (loop !== 'measureBytes') for (const name of ['count', 'longest']) if (name in options) options[name] /= 8
    listener(message)
  })
}`

const ADDON = ['the addon', 'native', whole] as const
const WASM = ['WebAssembly where the addon is missing', 'wasm', removed] as const

// It takes many seconds.
it.concurrent.each(scaled([ADDON], [ADDON, WASM]))('measures Node and %s', async (_, backend, project) => {
  writeFileSync(join(project.folder, 'less.cjs'), LESS)
  const env = scaled({ NODE_OPTIONS: '--require=./less.cjs' }, {})
  const { code, stdout, stderr } = await timeoutWheel(project, [], env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain(`backend ${backend}; Node ${process.version}`)
  for (const work of WORKS) expect(stdout).toMatch(new RegExp(`^${work}${FIGURES}$`, 'm'))
})

it.each([
  ['--version', RegExp(`^${version}\n$`)],
  ['--help', /^Usage: timeout-wheel \[--help \| --version\]\n/],
  ['-h', /^Usage: timeout-wheel \[--help \| --version\]\n/],
])('prints what %s asks for', async (option, expected) => {
  const stdout = expect.stringMatching(expected)
  expect(await timeoutWheel(whole, [option])).toEqual({ code: 0, stdout, stderr: '' })
})

it.each([
  ['--turns=3', "Unknown option '--turns'"],
  ['fast', "unknown command 'fast'"],
  ['--help=yes', "Option '-h, --help' does not take an argument"],
])('refuses %s, and measures nothing', async (argument, message) => {
  const outcome = await timeoutWheel(whole, argument.split(' '))
  expect(outcome).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
  expect(outcome.stderr).toMatch(/^timeout-wheel: .*Usage: timeout-wheel/s)
})

it('names an environment that it cannot run in', async () => {
  const stderr = `timeout-wheel: TIMEOUT_WHEEL_BACKEND must be 'native' or 'wasm', got "gpu"\n`
  const outcome = await timeoutWheel(whole, [], { TIMEOUT_WHEEL_BACKEND: 'gpu' })
  expect(outcome).toEqual({ code: 1, stdout: '', stderr })
})
