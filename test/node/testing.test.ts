/** `timeout-wheel/testing` under the tools themselves: programs see of our timers what they see of those of the tool. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { temporaryFolder } from '../temporary-folder.js'
import { CLEAN, ENTRIES } from './backends.js'
import { ROOT, run, runNode } from './child.js'
import { printsWith } from './prints.js'

const SCENARIOS = join(__dirname, 'testing/scenarios.cjs')
/** The test of a tool that runs files, which finds the package where it would be installed. */
const TEST = `
  equal = (found, expected) => expect(found).toEqual(expected)
  // First, because a tool may be on from the start.
  test('moves a timer at once', () => {
    if (!process.env.ON_FROM_THE_START) TOOL.useFakeTimers()
    let ran = 0
    ours.setTimeout(() => ran++, 100)
    TOOL.advanceTimersByTime(99)
    expect(ran).toBe(0)
    TOOL.advanceTimersByTime(1)
    expect(ran).toBe(1)
    TOOL.useRealTimers()
  })
  test('shows the same as the tool', () => compare(equal, ours, toolOf(TOOL)))`

const folder = temporaryFolder()
let vitest: string
beforeAll(async () => {
  const inPackage = (file: string): string => join(folder, 'node_modules/timeout-wheel', file)
  for (const file of ['package.json', 'dist', 'prebuilds'])
    cpSync(join(ROOT, file), inPackage(file), { recursive: true })
  mkdirSync(join(folder, 'tests'))
  const head = `import { compare, toolOf } from '${SCENARIOS}'\n`
  writeFileSync(
    join(folder, 'tests/jest.test.js'),
    `const { compare, toolOf } = require('${SCENARIOS}')
    const ours = require('timeout-wheel')
    let equal${TEST.replaceAll('TOOL', 'jest')}`,
  )
  writeFileSync(
    join(folder, 'tests/vitest.test.mjs'),
    `import { expect, test, vi } from 'vitest'
    import * as ours from 'timeout-wheel'
    ${head}let equal${TEST.replaceAll('TOOL', 'vi')}`,
  )
  const script = `import { vitestFolder } from './.tooling/runtimes.mjs'; console.log(await vitestFolder())`
  vitest = (await run(script)).lines.at(-1)!
}, 120_000)

describe.each(ENTRIES)('%s', (entry) => {
  const env = { TIMEOUT_WHEEL_BACKEND: entry.split('/')[1]! }

  const runJest = (config: object, more: NodeJS.ProcessEnv, ...options: string[]) =>
    runNode(
      [
        join(ROOT, 'node_modules/jest/bin/jest.js'),
        ...[...options, '--runInBand', '--config'],
        JSON.stringify({ rootDir: folder, testMatch: ['**/jest.test.js'], transform: {}, ...config }),
      ],
      { ...env, NODE_OPTIONS: '', ...more },
    )
  const setupFiles = ['timeout-wheel/testing']

  it.each<[how: string, config: object, env: NodeJS.ProcessEnv]>([
    ['by a setup file', { setupFiles }, {}],
    ['from the start', { setupFiles, fakeTimers: { enableGlobally: true } }, { ON_FROM_THE_START: '1' }],
    [
      'in jsdom',
      { setupFiles, testEnvironment: 'jsdom', testEnvironmentOptions: { customExportConditions: ['node'] } },
      {},
    ],
  ])('follows Jest: %s', async (_how, config, more) => {
    const outcome = await runJest(config, more)
    expect(outcome.stderr).toContain('2 passed, 2 total')
  })

  it('follows nothing without the entry', async () => {
    expect((await runJest({ setupFiles: [] }, {}, '--testNamePattern=at once')).stderr).toContain(
      '1 failed, 1 skipped',
    )
  })

  it('follows Vitest', async () => {
    const config = join(folder, 'vitest.config.mjs')
    writeFileSync(config, `export default { test: { setupFiles: ['timeout-wheel/testing'] } }`)
    const args = ['run', '--root', folder, '--config', config, 'tests/vitest.test.mjs']
    const outcome = await runNode([join(vitest, 'vitest.mjs'), ...args], { ...env, NODE_OPTIONS: '' })
    expect(outcome.lines.join('\n') + outcome.stderr).toContain('2 passed')
  })

  const PRELUDE = `
    import 'timeout-wheel/testing'
    import assert from 'node:assert/strict'
    import { createRequire } from 'node:module'
    import { mock } from 'node:test'
    import FakeTimers from '@sinonjs/fake-timers'
    import * as ours from '${entry}'
    const { compare, sinonTool, nodeTool } = createRequire('${SCENARIOS}')('${SCENARIOS}')
    const { setTimeout, setInterval, TimerWheel, TimeoutMap, timerGroup, timeoutSignal, withTimeout } = ours
    const log = (word) => () => console.log(word)
    const real = performance.now.bind(performance)
    const spin = (ms) => { for (const end = real() + ms; real() < end;); }
    `
  // Node 20 warns of mocked timers.
  const prints = printsWith(['--no-warnings'], {}, PRELUDE)

  prints('follows @sinonjs/fake-timers, whatever it fakes', 'done')`
    for (const options of [{}, { toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }, { now: 5.5 }])
      await compare(assert.deepEqual, ours, sinonTool(FakeTimers, options))
    console.log('done')`

  prints('follows mock.timers of node:test', 'done')`
    await compare(assert.deepEqual, ours, nodeTool(mock))
    console.log('done')`

  prints(
    'moves groups, maps, signals, wheels with options and promises',
    'member,entry,TimeoutError,TimeoutError,slack,steady 0,steady 0,wait',
  )`
    const clock = FakeTimers.install()
    const seen = []
    timerGroup((word) => seen.push(word), 10).add('member')
    new TimeoutMap({ ttl: 20, onExpire: (value) => seen.push(value) }).set(1, 'entry')
    const note = ({ name }) => seen.push(name)
    const signal = timeoutSignal(30)
    signal.addEventListener('abort', () => note(signal.reason))
    withTimeout(new Promise(() => {}), 40).catch(note)
    const wheel = new TimerWheel({ tick: 0.1, unref: true, maxPending: 3 })
    wheel.schedule(() => seen.push('slack'), 50, undefined, { slack: 1 })
    const steady = wheel.setInterval((missed) => seen.push('steady ' + missed), { delay: 60, drift: false })
    ours.promises.scheduler.wait(125).then(() => seen.push('wait'))
    await clock.tickAsync(124)
    wheel.clearInterval(steady)
    await clock.tickAsync(1)
    console.log(seen.join())`

  prints(
    'keeps groups and maps working from test to test',
    'after 50: ',
    'after 100: entry,member,member',
    'after 100: entry,member',
  )`
    const seen = []
    const group = timerGroup((word) => seen.push(word), 100)
    const map = new TimeoutMap({ ttl: 100, onExpire: (value) => seen.push(value) })
    for (const ms of [50, 100, 100]) {
      const clock = FakeTimers.install()
      group.add('member')
      map.set(1, 'entry')
      clock.tick(ms)
      clock.uninstall()
      console.log('after ' + ms + ': ' + seen.splice(0).sort().join())
    }`

  prints(
    'stops in the time of a tool what was set in real time, and goes on after it',
    'fake',
    'real',
    'true',
  )`
    const began = real()
    setTimeout(() => console.log('real') || console.log(real() - began >= 40), 40)
    const clock = FakeTimers.install()
    setTimeout(log('fake'), 5)
    clock.tick(5)
    spin(50)
    clock.uninstall()
    setTimeout(() => {}, 1)`

  prints('takes real time if a tool fakes only timers or only the time of day', 'ran', 'ran')`
    for (const api of ['setTimeout', 'Date']) {
      mock.timers.enable({ apis: [api] })
      await new Promise((resolve) => setTimeout(resolve, 5))
      console.log('ran')
      mock.timers.reset()
    }`

  prints('works with register, in real time and in that of a tool', 'fake', 'real')`
    await import('timeout-wheel/register')
    const clock = FakeTimers.install()
    globalThis.setTimeout(log('fake'), 5)
    setTimeout(() => {}, 60_000)
    clock.tick(5)
    clock.uninstall()
    mock.timers.enable({ apis: ['Date'] })
    globalThis.setTimeout(log('real'), 5)`

  prints('leaves wheels alone that were stopped, or that move by hand', '1 0 0', 'by hand')`
    const clock = FakeTimers.install()
    const stopped = new TimerWheel()
    stopped.setTimeout(log('never'), 10)
    console.log(stopped.stop().length, stopped.pending, clock.countTimers())
    const manual = new TimerWheel({ driver: 'manual' })
    manual.setTimeout(log('by hand'), 10)
    clock.tick(100)
    manual.advance(10)`

  it('must be loaded before the first wheel, and more than once does no harm', async () => {
    const late = `import { setTimeout } from '${entry}'; setTimeout(() => {}); await import('timeout-wheel/testing')`
    const { code, stderr } = await run(late)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('a wheel was opened before timeout-wheel/testing was imported'),
    })
    const twice = `import 'timeout-wheel/testing'; import { createRequire } from 'node:module'
      import { setTimeout } from '${entry}'; setTimeout(() => {}, 1)
      createRequire(process.cwd() + '/')('timeout-wheel/testing')`
    expect(await run(twice)).toEqual({ ...CLEAN, lines: [] })
  })
})

it('says in a page that it works on Node only', async () => {
  expect(readFileSync(join(ROOT, 'dist/testing-browser.cjs'), 'utf8')).toContain('works on Node only')
  const { code, stderr } = await run(`await import('timeout-wheel/testing')`, ['--conditions=browser'])
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('works on Node only') })
})
