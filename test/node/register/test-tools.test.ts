/** Test tools that replace a program's timers replace ours, and restore ours afterwards. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import { temporaryFolder } from '../../temporary-folder.js'
import { ROOT, runNode } from '../child.js'
import { prints, printsWith } from '../prints.js'

const REGISTER = ['--require', 'timeout-wheel/register']

// Node 20 warns of mocked timers.
const underTool = printsWith(
  [...REGISTER, '--no-warnings'],
  {},
  `
  import timers from 'node:timers'
  import promises from 'node:timers/promises'
  import FakeTimers from '@sinonjs/fake-timers'
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
  `,
)

underTool(`
  # works under mock.timers of node:test -> false | interval,interval,timeout,promise | true | ran
  const { mock } = await import('node:test')
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
  setTimeout(() => console.log('ran'), 5)
  # works under @sinonjs/fake-timers -> false | interval,interval,timeout 60000 | true | ran
  const clock = FakeTimers.install()
  set()
  console.log(areOurs())
  await clock.tickAsync(60_000)
  console.log(ran.join(), Date.now())
  clock.uninstall()
  console.log(areOurs())
  setTimeout(() => console.log('ran'), 5)
  # keeps the real clock while a tool fakes one: pending timers run on time -> true
  const began = process.hrtime.bigint()
  setTimeout(() => {
    clock.uninstall()
    console.log(process.hrtime.bigint() - began >= 30_000_000n)
  }, 30)
  const clock = FakeTimers.install()
  clock.tick(1_000_000)`)

for (const backend of ['native', 'wasm']) {
  prints(`
    # keeps the real clock if a tool faked everything before the first timer: ${backend} -> ran
    import FakeTimers from '@sinonjs/fake-timers'
    import { setTimeout } from 'timeout-wheel/${backend}'
    FakeTimers.install()
    setTimeout(() => setTimeout(console.log, 5, 'ran'), 5)`)
}

const folder = temporaryFolder()

it('works under the fake timers of Jest', async () => {
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
  expect(outcome).toMatchObject({ code: 0, stderr: expect.stringContaining('1 passed') })
})
