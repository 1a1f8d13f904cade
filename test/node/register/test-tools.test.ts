/** Test tools that replace a program's timers replace ours, and restore ours afterwards. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../child.js'
import { printsWith } from '../prints.js'
import { registerTest, testProject } from '../test-project.js'

const REGISTER = ['--require', 'timeout-wheel/register']

// Node 20 warns of mocked timers.
const underTool = printsWith(
  [...REGISTER, '--no-warnings'],
  {},
  `
  import { mock } from 'node:test'
  import timers from 'node:timers'
  import promises from 'node:timers/promises'
  import FakeTimers from '@sinonjs/fake-timers'
  import * as ours from 'timeout-wheel'
  import ourPromises from 'timeout-wheel/promises'
  const areOurs = () =>
    setTimeout === ours.setTimeout && clearInterval === ours.clearInterval &&
    timers.setInterval === ours.setInterval && promises.setTimeout === ourPromises.setTimeout
  const ran = []
  `,
)

for (const [tool, begin, tick, end] of [
  ['mock.timers of node:test', 'mock.timers.enable()', 'mock.timers.tick(10_000)', 'mock.timers.reset()'],
  ['@sinonjs/fake-timers', 'clock = FakeTimers.install()', 'clock.tick(10_000)', 'clock.uninstall()'],
])
  underTool(`
  # works under ${tool} -> false | interval,interval,timeout,promise | true | ran
  let clock
  ${begin}
  setTimeout(() => ran.push('timeout'), 60_000)
  timers.setInterval(() => ran.push('interval'), 25_000)
  clearTimeout(setTimeout(() => ran.push('cleared'), 5))
  const promised = promises.setTimeout(50_000).then(() => ran.push('promise'))
  console.log(areOurs())
  for (let i = 0; i < 6; i++) ${tick}
  await promised
  console.log(ran.join())
  ${end}
  console.log(areOurs())
  await promises.setTimeout(5)
  setTimeout(() => console.log('ran'), 5)`)

underTool(`
  # keeps the real clock while a tool fakes one: pending timers run on time -> true
  const began = process.hrtime.bigint()
  setTimeout(() => {
    clock.uninstall()
    console.log(process.hrtime.bigint() - began >= 30_000_000n)
  }, 30)
  const clock = FakeTimers.install()
  clock.tick(1_000_000)`)

const project = testProject()

it('works under both kinds of fake timers of Jest', async () => {
  const both = [
    registerTest('jest', 'modern', 'jest.useFakeTimers()'),
    registerTest('jest', 'legacy', 'jest.useFakeTimers({ legacyFakeTimers: true })'),
  ]
  writeFileSync(join(project.folder, 'jest.test.js'), both.join(''))
  const register = join(project.folder, 'node_modules/timeout-wheel/dist/register.cjs')
  const outcome = await project.runJest('**/jest.test.js', {}, { NODE_OPTIONS: `--require ${register}` })
  expect(outcome).toMatchObject({ code: 0, stderr: expect.stringContaining('2 passed, 2 total') })
})

it('replaces nothing while a tool fakes the timers, and says so', async () => {
  const { code, lines, stderr } = await run(
    `import { mock } from 'node:test'
    import FakeTimers from '@sinonjs/fake-timers'
    import * as ours from 'timeout-wheel'
    const native = setTimeout
    let clock = FakeTimers.install()
    const { register, unregister } = await import('timeout-wheel/register')
    const log = (...words) => console.log(...words, setTimeout === ours.setTimeout, setTimeout === native)
    setTimeout(() => log('moved'), 1000); clock.tick(1000); clock.uninstall()
    clock = FakeTimers.install({ toFake: ['setInterval', 'clearInterval'] })
    log(register())
    clock.uninstall()
    log(register(), unregister())
    mock.timers.enable()
    log(register())
    mock.timers.reset()
    globalThis.setTimeout = Object.assign(() => {}, { _isMockFunction: true })
    log(register())
    globalThis.setTimeout = native
    log(register())`,
  )
  const refused = [
    'moved false false',
    'false false true',
    'true [] false true',
    'false false false',
    'false false false',
  ]
  expect({ code, lines }).toEqual({ code: 0, lines: [...refused, 'true true false'] })
  const warnings = stderr.match(/TimeoutWheelWarning: .*/g)
  expect(warnings).toHaveLength(4)
  expect(warnings![0]).toMatch(/has replaced nothing.*load register before the tool begins/)
})
