/** The entries of the installed tarball, by each way of loading them. */
import { useProject } from './installed.js'

const project = useProject()

type File = `${string}.mjs` | `${string}.cjs`

async function expectLine(line: string, file: File, source: string, flags: string[] = []): Promise<void> {
  expect(await project.run(file, source, { flags })).toEqual({ code: 0, stdout: `${line}\n`, stderr: '' })
}

const NAMES = (
  'TimeoutMap TimerWheel backend clearInterval clearTimeout configure pendingTimers setInterval ' +
  'setLongTimeout setTimeout stats timeoutSignal timerGroup withTimeout'
).split(' ')
const OF_PROMISES = ['scheduler', 'setImmediate', 'setInterval', 'setTimeout']

/** Prints the backend, and the order in which timers run: in virtual time, because a stall of the machine between calls changes the order. */
const TIMERS = `
  const fired = []
  const wheel = new entry.TimerWheel({ driver: 'manual' })
  wheel.setTimeout((name) => fired.push(name), 20, 'second')
  wheel.setTimeout((name) => fired.push(name), 10, 'first')
  wheel.advance(20)
  entry.setTimeout((name) => fired.push(name), 10, 'shared')
  entry.clearTimeout(entry.setTimeout(() => fired.push('never'), 5))
  process.on('exit', () => console.log(entry.backend, fired.join()))`
const FIRED = 'first,second,shared'
const WAIT = "entry.setTimeout(5, 'value').then(console.log)"
const HTTP = `
  const server = new (process.getBuiltinModule('node:events'))()
  console.log(entry.idleTimeout(server, 5).size, server.eventNames().join())`
const REGISTER = 'console.log(entry.register(), entry.unregister().length)'

describe.each([
  ['timeout-wheel', NAMES, TIMERS, `native ${FIRED}`],
  ['timeout-wheel/native', NAMES, TIMERS, `native ${FIRED}`],
  ['timeout-wheel/wasm', NAMES, TIMERS, `wasm ${FIRED}`],
  ['timeout-wheel/promises', ['default', ...OF_PROMISES], WAIT, 'value'],
  ['timeout-wheel/http', ['idleTimeout'], HTTP, '0 connection,request'],
  ['timeout-wheel/register', ['register', 'unregister'], REGISTER, 'false 0'],
  ['timeout-wheel/testing', [], "console.log('loaded')", 'loaded'],
])('%s', (entry, names, use, line) => {
  const show = `console.log(Object.keys(entry).sort().join())\n${use}`

  it('exports its functions to an ES module', async () => {
    await expectLine(`${names}\n${line}`, 'entry.mjs', `import * as entry from '${entry}'\n${show}`)
  })

  it('exports its functions to a CommonJS module', async () => {
    const required = names.filter((name) => name !== 'default')
    await expectLine(`${required}\n${line}`, 'entry.cjs', `const entry = require('${entry}')\n${show}`)
  })
})

it.each([
  ['timeout-wheel', 'browser.mjs wasm'],
  ['timeout-wheel/wasm', 'browser.mjs wasm'],
])('gives %s on WebAssembly by the condition "browser"', async (entry, line) => {
  const source = `
    import * as entry from '${entry}'
    const value = await new Promise((resolve) => entry.setTimeout(resolve, 1, 'value'))
    console.log(import.meta.resolve('${entry}').split('/').pop(), entry.backend, value)`
  await expectLine(`${line} value`, 'browser.mjs', source, ['--conditions=browser'])
})

it('makes Node load no module of its own but timers/promises, and diagnostics_channel on Node 20', async () => {
  const source = `
    const before = new Set(process.moduleLoadList)
    const { setTimeout } = await import('timeout-wheel')
    setTimeout(() => {}, 1)
    const loaded = process.moduleLoadList.filter((one) => !before.has(one) && !/internal|Binding|diagnostics/.test(one))
    console.log(loaded.join())`
  await expectLine('NativeModule timers/promises', 'modules.mjs', source)
})

it.each([
  ['old.mjs', "await import('timeout-wheel')"],
  ['old.cjs', "require('timeout-wheel')"],
] as const)('says which versions it needs if Node is too old (%s)', async (file, load) => {
  const flags = ['--import=data:text/javascript,process.getBuiltinModule=undefined']
  const line =
    'timeout-wheel needs process.getBuiltinModule: Node 20.19, Bun 1.2.23 or Deno 2.1, or a later version'
  await expectLine(line, file, `try { ${load} } catch ({ message }) { console.log(message) }`, flags)
})

it('exports its package.json, and no other internal file', async () => {
  const source = `
    const { name } = require('timeout-wheel/package.json')
    try { require('timeout-wheel/dist/node.cjs') } catch (error) { console.log(name, error.code) }`
  await expectLine('timeout-wheel ERR_PACKAGE_PATH_NOT_EXPORTED', 'inner.cjs', source)
})
