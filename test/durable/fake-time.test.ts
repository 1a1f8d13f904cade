/** A store works while a tool fakes time, whenever the tool has begun, and after the tool has ended. */
import { jest } from '@jest/globals'
import type { DurableTimers as Timers } from 'timeout-wheel/durable'
import { outputOfModule } from './helpers.js'

/** `program.mjs sinon|node:test loaded|new`: prints what each store has run. The stores are opened before the tool begins, if they are loaded. */
const PROGRAM = `
  import { mock } from 'node:test'
  import FakeTimers from '@sinonjs/fake-timers'
  const [tool, when] = process.argv.slice(1)
  const TOOLS = {
    sinon: () => { const clock = FakeTimers.install(); return () => clock.uninstall() },
    'node:test': () => { mock.timers.enable(); return () => mock.timers.reset() },
  }
  const ran = []
  const { promise: hasRun, resolve } = Promise.withResolvers()
  const open = async () => {
    const { DurableTimers, manualClock } = await import('timeout-wheel/durable')
    const manual = await DurableTimers.open(':memory:', { clock: manualClock() })
    const system = await DurableTimers.open(':memory:')
    manual.on('a', ({ key }) => void ran.push(key))
    system.on('a', ({ key, due }) => resolve(ran.push(key, Math.abs(due - started) < 60_000)))
    return { manual, system }
  }
  const started = Date.now()
  let stores = when === 'loaded' ? await open() : undefined
  const end = TOOLS[tool]()
  stores ??= await open()
  const { manual, system } = stores
  await manual.set('a', { key: 'manual', delay: 3_600_000 })
  await manual.advance(3_600_000)
  await system.set('a', { key: 'system', delay: 20 })
  await hasRun
  await system.close()
  end()
  await manual.set('a', { key: 'later', delay: 1 })
  await manual.advance(1)
  await manual.close()
  console.log(ran.join())`

const run = (tool: string, when: string) => outputOfModule(PROGRAM, [tool, when])

it.concurrent.each([
  ['sinon', 'loaded'],
  ['sinon', 'new'],
  ['node:test', 'loaded'],
])('works while %s fakes time, and after that, if it is %s', async (tool, when) => {
  expect(await run(tool, when)).toBe('manual,system,true,later\n')
})

it.concurrent('cannot be loaded while node:test hides the timers of Node', async () => {
  await expect(run('node:test', 'new')).rejects.toThrow('import timeout-wheel/durable before mock.timers')
})

afterEach(() => {
  jest.useRealTimers()
})

it.each([{ legacyFakeTimers: false }, { legacyFakeTimers: true }])(
  'works if it is loaded while Jest fakes time: %j',
  async (options) => {
    jest.useFakeTimers(options as { legacyFakeTimers: true })
    const runs: (string | undefined)[] = []
    let timers: Timers | undefined
    await jest.isolateModulesAsync(async () => {
      const { DurableTimers, manualClock } = await import('timeout-wheel/durable')
      timers = await DurableTimers.open(':memory:', { clock: manualClock() })
    })
    timers!.on('a', ({ key }) => void runs.push(key))
    await timers!.set('a', { key: 'k', delay: 1_000 })
    await timers!.advance(1_000)
    await timers!.close()
    expect(runs).toEqual(['k'])
  },
)
