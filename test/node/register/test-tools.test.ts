/** Test tools that replace a program's timers replace ours, and restore ours afterwards. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { CLEAN } from '../backends.js'
import { ROOT, run, runNode } from '../child.js'

const REGISTER = ['--require', 'timeout-wheel/register']

/** Lets a minute pass on mocked timers, then a moment on ours. */
const PRELUDE = `
  import timers from 'node:timers'
  import promises from 'node:timers/promises'
  import * as ours from 'timeout-wheel'
  const areOurs = () =>
    setTimeout === ours.setTimeout && clearInterval === ours.clearInterval &&
    timers.setInterval === ours.setInterval && promises.setTimeout === ours.promises.setTimeout
  const ran = []
  const set = () => {
    setTimeout(() => ran.push('timeout'), 60_000)
    timers.setInterval(() => ran.push('interval'), 25_000)
    clearTimeout(setTimeout(() => ran.push('cleared'), 5))
  }
`

it('works under mock.timers of node:test', async () => {
  const outcome = await run(
    `${PRELUDE}
    import { mock } from 'node:test'
    mock.timers.enable()
    set()
    const promised = promises.setTimeout(50_000).then(() => ran.push('promise'))
    console.log(areOurs())
    for (let i = 0; i < 6; i++) mock.timers.tick(10_000)
    await promised
    console.log(ran.join())
    mock.timers.reset()
    console.log(areOurs())
    await promises.setTimeout(5)
    setTimeout(() => console.log('ran'), 5)`,
    REGISTER,
  )
  const order = 'interval,interval,timeout,promise'
  expect(outcome).toMatchObject({ ...CLEAN, stderr: expect.any(String) })
  expect(outcome.lines).toEqual(['false', order, 'true', 'ran'])
})

it('works under @sinonjs/fake-timers', async () => {
  const outcome = await run(
    `${PRELUDE}
    import FakeTimers from '@sinonjs/fake-timers'
    const clock = FakeTimers.install()
    set()
    console.log(areOurs())
    await clock.tickAsync(60_000)
    console.log(ran.join(), Date.now())
    clock.uninstall()
    console.log(areOurs())
    setTimeout(() => console.log('ran'), 5)`,
    REGISTER,
  )
  expect(outcome).toEqual({ ...CLEAN, lines: ['false', 'interval,interval,timeout 60000', 'true', 'ran'] })
})

it('keeps the real clock while a tool fakes one: pending timers run on time', async () => {
  const outcome = await run(
    `import FakeTimers from '@sinonjs/fake-timers'
    const began = process.hrtime.bigint()
    setTimeout(() => {
      clock.uninstall()
      console.log(process.hrtime.bigint() - began >= 30_000_000n)
    }, 30)
    const clock = FakeTimers.install()
    clock.tick(1_000_000)`,
    REGISTER,
  )
  expect(outcome).toEqual({ ...CLEAN, lines: ['true'] })
})

it.each(['native', 'wasm'])(
  'keeps the real clock if a tool faked everything before the first timer: %s',
  async (backend) => {
    const outcome = await run(
      `
    import FakeTimers from '@sinonjs/fake-timers'
    import { setTimeout } from 'timeout-wheel'
    FakeTimers.install()
    setTimeout(() => setTimeout(console.log, 5, 'ran'), 5)`,
      [],
      { TIMEOUT_WHEEL_BACKEND: backend },
    )
    expect(outcome).toEqual({ ...CLEAN, lines: ['ran'] })
  },
)

it('works under the fake timers of Jest', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'timeout-wheel-jest-'))
  try {
    writeFileSync(
      join(folder, 'fake.test.js'),
      `
      test('has ours, fakes them, and has them again', async () => {
        const real = setTimeout
        expect(require('node:timers').setTimeout).toBe(real)
        jest.useFakeTimers()
        expect(setTimeout).not.toBe(real)
        const ran = jest.fn()
        setTimeout(ran, 60_000)
        jest.advanceTimersByTime(60_000)
        expect(ran).toHaveBeenCalledTimes(1)
        jest.useRealTimers()
        expect(setTimeout).toBe(real)
        await new Promise((resolve) => setTimeout(resolve, 5))
      })`,
    )
    const jest = join(ROOT, 'node_modules/jest/bin/jest.js')
    const config = JSON.stringify({ rootDir: folder, transform: {} })
    const outcome = await runNode([...REGISTER, jest, '--config', config, '--runInBand'])
    expect(outcome.stderr).toContain('1 passed')
    expect(outcome.code).toBe(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
