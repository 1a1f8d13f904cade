/** The package is loaded, or first used, while a tool fakes the timers. testing.test.ts has what follows after that. */
import { ENTRIES } from './backends.js'
import { run } from './child.js'
import { printsWith } from './prints.js'

const BEFORE_LOADING = `
  import { mock } from 'node:test'
  import FakeTimers from '@sinonjs/fake-timers'
  const real = setTimeout
  const wait = () => new Promise((resolve) => real(resolve, 100))
  const set = (ours, word, ms) => ours.setTimeout(() => console.log(word), ms)
  let clock
`
describe.each(ENTRIES)('%s, loaded or used first while a tool fakes time', (entry) => {
  const prints = printsWith(['--no-warnings'], {}, BEFORE_LOADING)

  prints(`
    # runs in real time if it is used first -> first
    const ours = await import('${entry}')
    clock = FakeTimers.install()
    ours.setTimeout(() => set(ours, 'first', 5), 5)
    # runs in real time if it is loaded -> true | real
    clock = FakeTimers.install()
    const start = process.uptime()
    const ours = await import('${entry}')
    ours.setTimeout(() => console.log(process.uptime() - start >= 0.02), 20)
    await wait()
    clock.tick(50); clock.uninstall()
    set(ours, 'real', 10)`)

  prints(`
    # follows a tool -> set at once | moved | real | fake again | real again
    clock = FakeTimers.install()
    await import('timeout-wheel/testing')
    const ours = await import('${entry}')
    set(ours, 'set at once', 20)
    clock.tick(20)
    console.log('moved')
    clock.uninstall()
    set(ours, 'real', 10); await wait()
    clock = FakeTimers.install()
    set(ours, 'fake again', 20)
    clock.tick(20); clock.uninstall()
    mock.timers.enable({ apis: ['Date'] })
    set(ours, 'real again', 10)
    await wait()`)
})

it('says which timers do not run in real time if mock.timers was on when it was loaded', async () => {
  const outcomeOf = (entry: string, first = '') =>
    run(`
      import { mock } from 'node:test'
      mock.timers.enable()
      ${first}
      const { setTimeout } = await import('${entry}')
      for (let i = 0; i < 2; i++) setTimeout(() => console.log('ran'), 5)`)
  const [native, wasm, follows] = await Promise.all([
    ...ENTRIES.map((entry) => outcomeOf(entry)),
    outcomeOf(ENTRIES[0]!, "await import('timeout-wheel/testing')"),
  ])
  expect([native!.lines, wasm!.lines, follows!.lines]).toEqual([['ran', 'ran'], [], []])
  const warning = /TimeoutWheelWarning: .*/g
  expect([native!.code, wasm!.code, native!.stderr.match(warning)]).toEqual([0, 0, null])
  for (const { stderr } of [wasm!, follows!])
    expect(stderr.match(warning)).toEqual([
      expect.stringMatching(/do not run.*Load timeout-wheel before mock\.timers\.enable\(\)/),
    ])
})
