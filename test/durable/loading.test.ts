/** Programs load durable timers by each way that Node and Jest have. The thread of SQLite starts, and cron expressions are read. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, runNode } from '../node/child.js'
import { temporaryFolder } from '../temporary-folder.js'
import { outputOfModule } from './helpers.js'

const folder = temporaryFolder()
mkdirSync(join(folder, 'node_modules'))
symlinkSync(ROOT, join(folder, 'node_modules/timeout-wheel'), 'junction')

const USE = `
  const use = async ({ DurableTimers }) => {
    const timers = await DurableTimers.open(':memory:')
    const ran = new Promise((resolve) => timers.on('job', ({ data }) => resolve(data)))
    const { due } = await timers.set('yearly', { key: 'k', cron: '0 0 1 1 *' })
    await timers.set('job', { delay: 1, data: due.getUTCMonth() })
    const data = await ran
    await timers.close()
    return data
  }`
const REQUIRED = `${USE}; use(require('timeout-wheel/durable')).then(console.log)`
const IMPORTED = `${USE}; console.log(await use(await import('timeout-wheel/durable')))`
const JEST = `${USE}; test('runs', async () => expect(await use(require('timeout-wheel/durable'))).toBe(0))`
writeFileSync(join(folder, 'durable.test.js'), JEST)
const CONFIG = JSON.stringify({ rootDir: folder, transform: {} })

const asText = (type: string, code: string) => ['--no-warnings', `--input-type=${type}`, '--eval', code]
const NO_MODULES = '--no-experimental-require-module'
const REGISTER = '--require timeout-wheel/register'

it.concurrent.each<[how: string, args: string[], printed: string, options?: string]>([
  ['by import', asText('module', IMPORTED), '0'],
  ['by require()', asText('commonjs', REQUIRED), '0'],
  ['by require() that loads no ES modules', [NO_MODULES, ...asText('commonjs', REQUIRED)], '0'],
  ['beside `register` in all threads', asText('module', IMPORTED), '0', REGISTER],
  ['in Jest', [join(ROOT, 'node_modules/jest/bin/jest.js'), '--config', CONFIG], 'Tests:       1 passed'],
])('works %s', async (_how, args, printed, options = '') => {
  const { code, lines, stderr } = await runNode(args, { NODE_OPTIONS: options })
  expect([...lines, ...stderr.split('\n')].join('\n')).toContain(printed)
  expect(code).toBe(0)
})

it('says that nothing has changed if Node refuses to start a thread', async () => {
  const open = `const { DurableTimers } = await import('timeout-wheel/durable')
    console.log(await DurableTimers.open(':memory:').catch(({ code, message }) => code + ' ' + message))`
  const text = await outputOfModule(open, [], ['--permission', '--allow-fs-read=*'])
  expect(text).toMatch(/^ERR_DURABLE_UNAVAILABLE :memory:: the worker thread of the store cannot start: /)
})

it('takes a database that the other build of the package has named', async () => {
  const program = `import { createRequire } from 'node:module'
    import { DurableTimers } from 'timeout-wheel/durable'
    const { postgres } = createRequire(process.cwd() + '/')('timeout-wheel/durable')
    const query = () => Promise.reject(new Error('asked'))
    console.log(await DurableTimers.open(postgres({ query })).catch(({ message }) => message))`
  expect(await outputOfModule(program)).toBe('PostgreSQL: asked\n')
})
