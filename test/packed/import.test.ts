import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Project, packAndInstall } from './installed.js'

const NAMES = (
  'TimeoutMap TimerWheel backend clearImmediate clearInterval clearTimeout configure promises setImmediate setInterval ' +
  'setTimeout stats timeoutSignal timerGroup withTimeout'
).split(' ')

/**
 * Prints the entry's names, its backend, and the order in which timers run. Of two, the later one is set first; in virtual
 * time, because a stall of the machine between the calls would change the order.
 */
const USE = `
  const fired = []
  const wheel = new entry.TimerWheel({ driver: 'manual' })
  wheel.setTimeout((name) => fired.push(name), 20, 'second')
  wheel.setTimeout((name) => fired.push(name), 10, 'first')
  wheel.advance(20)
  entry.setTimeout((name) => fired.push(name), 10, 'shared')
  entry.clearTimeout(entry.setTimeout(() => fired.push('never'), 5))
  process.on('exit', () => console.log(JSON.stringify({ names, backend: entry.backend, fired })))
`

let project: Project
beforeAll(async () => {
  project = await packAndInstall()
})
afterAll(() => project.remove())

describe.each([
  ['timeout-wheel', 'native'],
  ['timeout-wheel/native', 'native'],
  ['timeout-wheel/wasm', 'wasm'],
])('%s from the installed tarball', (entry, backend) => {
  it.each([
    ['imported from an ES module', 'import.mjs', `import * as entry from '${entry}'`, ['default']],
    ['required from a CommonJS module', 'require.cjs', `const entry = require('${entry}')`, []],
  ] as const)('is %s and runs timers', async (_name, file, first, more) => {
    const source = `${first}\nconst names = Object.keys(entry).sort()\n${USE}`
    const { stdout, stderr, code } = await project.run(file, source)
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    const names = [...NAMES, ...more].sort()
    expect(JSON.parse(stdout)).toEqual({ names, backend, fired: ['first', 'second', 'shared'] })
  })
})

describe('timeout-wheel/promises from the installed tarball', () => {
  const NAMES = ['scheduler', 'setImmediate', 'setInterval', 'setTimeout']
  const SHOW = `.then((value) => console.log(value, JSON.stringify(Object.keys(timers).filter((name) => name !== 'default').sort())))`

  const IMPORT = `import * as timers from 'timeout-wheel/promises'`
  it.each([
    ['imported from an ES module', 'promises.mjs', IMPORT, []],
    ['required from CommonJS', 'promises.cjs', `const timers = require('timeout-wheel/promises')`, []],
    ['imported for a page', 'promises.mjs', IMPORT, ['--conditions=browser']],
  ] as const)('is %s and waits', async (_name, file, use, flags) => {
    const source = `${use}\ntimers.setTimeout(5, 'value')${SHOW}`
    const { stdout, stderr } = await project.run(file, source, { flags: [...flags] })
    expect({ stdout, stderr }).toEqual({ stdout: `value ${JSON.stringify(NAMES)}\n`, stderr: '' })
  })
})

describe('the condition "module" of bundlers', () => {
  it.each([
    ...[
      ['timeout-wheel', 'node'],
      ['timeout-wheel/native', 'native'],
    ],
    ...[
      ['timeout-wheel/wasm', 'wasm'],
      ['timeout-wheel/promises', 'promises'],
    ],
  ] as const)('gives an ES module for %s that loads no CommonJS', async (entry, name) => {
    const source = `
      const url = import.meta.resolve('${entry}')
      const { promises, setTimeout, timerGroup = () => {} } = await import('${entry}')
      await (promises ?? { setTimeout }).setTimeout(5)
      console.log(url.split('/dist/').pop())
      timerGroup(() => {}, 10)
      const { _cache } = (await import('node:module')).default
      console.log(Object.keys(_cache).length > 0)`
    const { stdout, stderr } = await project.run('bundled.mjs', source, { flags: ['--conditions=module'] })
    expect({ stdout, stderr }).toEqual({ stdout: `whole/${name}.mjs\nfalse\n`, stderr: '' })
  })
})

describe('timeout-wheel/register from the installed tarball', () => {
  const SHOW = 'setTimeout(() => console.log(setTimeout === ours.setTimeout), 1)'
  const PROGRAMS = [
    ['show.mjs', `import * as ours from 'timeout-wheel'`],
    ['show.cjs', `const ours = require('timeout-wheel')`],
  ] as const
  const CASES = PROGRAMS.flatMap((program) => [
    ['--require', ...program] as const,
    ['--import', ...program] as const,
  ])
  it.each(CASES)('replaces the timers of a program by %s: %s', async (flag, file, first) => {
    const outcome = await project.run(file, `${first}\n${SHOW}`, { flags: [flag, 'timeout-wheel/register'] })
    expect(outcome).toEqual({ stdout: 'true\n', stderr: '', code: 0 })
  })
})

it.each([
  [
    'register',
    'console.log(Object.keys(entry).sort().join(), entry.register(), entry.unregister().length)',
    'register,unregister false 0\n',
  ],
  [
    'http',
    `const server = new (process.getBuiltinModule('node:events'))()
    console.log(Object.keys(entry).join(), entry.idleTimeout(server, 5).size, server.eventNames().join())`,
    'idleTimeout 0 connection\n',
  ],
])('exports the functions of timeout-wheel/%s to both kinds of modules', async (name, use, expected) => {
  for (const [file, first] of [
    ['entry.mjs', `import * as entry from 'timeout-wheel/${name}'`],
    ['entry.cjs', `const entry = require('timeout-wheel/${name}')`],
  ] as const) {
    const { stdout, stderr } = await project.run(file, `${first}\n${use}`)
    expect({ file, stdout, stderr }).toEqual({ file, stdout: expected, stderr: '' })
  }
})

it('loads if the system does not give the path of Node', async () => {
  const source = `
    process.execPath = 'node'
    const { backend } = await import('timeout-wheel')
    await import('timeout-wheel/register')
    setTimeout(() => console.log(backend), 1)`
  const { stdout, stderr } = await project.run('path.mjs', source, { flags: ['--no-addons'] })
  expect({ stdout, stderr }).toEqual({ stdout: 'wasm\n', stderr: '' })
})

it.each(['timeout-wheel', 'timeout-wheel/wasm'])(
  'gives WebAssembly for %s by the condition "browser"',
  async (entry) => {
    const source = `
    import { backend, setTimeout } from '${entry}'
    setTimeout(() => console.log(import.meta.resolve('${entry}').split('/').pop(), backend), 1)`
    const { stdout, stderr } = await project.run('browser.mjs', source, { flags: ['--conditions=browser'] })
    expect({ stdout, stderr }).toEqual({ stdout: 'browser.mjs wasm\n', stderr: '' })
  },
)

it('exports its package.json, and no other internal file', async () => {
  const source = `
    console.log(require('timeout-wheel/package.json').name)
    try { require('timeout-wheel/dist/node.cjs') } catch (error) { console.log(error.code) }`
  expect((await project.run('inner.cjs', source)).stdout.trim().split('\n')).toEqual([
    'timeout-wheel',
    'ERR_PACKAGE_PATH_NOT_EXPORTED',
  ])
})
