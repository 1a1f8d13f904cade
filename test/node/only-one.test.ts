/** A program that both imports and requires the package has one copy of everything, in either order. */
import { describe, expect, it } from '@jest/globals'
import { CLEAN } from './backends.js'
import { run } from './child.js'

const LOADERS = {
  imported: `const load = (entry) => import(entry)
    const other = async (entry) => createRequire(process.cwd() + '/')(entry)`,
  required: `const load = async (entry) => createRequire(process.cwd() + '/')(entry)
    const other = (entry) => import(entry)`,
}

describe.each(Object.entries(LOADERS))('when it is first %s', (_first, loaders) => {
  const inBoth = (script: string): ReturnType<typeof run> =>
    run(`import { createRequire } from 'node:module'\n${loaders}\n${script}`)

  it('has one wheel class and one set of functions for each backend', async () => {
    const outcome = await inBoth(`
      for (const entry of ['timeout-wheel', 'timeout-wheel/native', 'timeout-wheel/wasm', 'timeout-wheel/promises']) {
        const [first, second] = [await load(entry), await other(entry)]
        console.log(Object.keys(first).every((name) => name === 'default' || first[name] === second[name]))
      }
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['true', 'true', 'true', 'true'] })
  })

  it('has one wheel for timeout-wheel and timeout-wheel/native', async () => {
    const outcome = await inBoth(`
      const [either, native] = [await load('timeout-wheel'), await other('timeout-wheel/native')]
      console.log(either.backend, either.setTimeout === native.setTimeout)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['native true'] })
  })

  it('accepts numbers and ids of one copy in the other', async () => {
    const outcome = await inBoth(`
      const [wasm, native] = [await load('timeout-wheel/wasm'), await other('timeout-wheel/native')]
      const wheels = [wasm, native].map(({ TimerWheel }) => new TimerWheel())
      const ids = wheels.map((wheel) => wheel.schedule(() => {}, 60_000))
      console.log(ids[0] === ids[1], wheels[1].cancel(ids[0]), wheels[0].cancel(ids[1]))
      wheels.forEach((wheel) => wheel.stop())
      native.clearTimeout(+wasm.setTimeout(() => console.log('not cleared'), 10))
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['false false false'] })
  })

  it('registers once, and counts the timers of one shared wheel', async () => {
    const outcome = await inBoth(`
      const { setTimeout } = await load('timeout-wheel')
      const registration = await other('timeout-wheel/register')
      console.log(globalThis.setTimeout === setTimeout, (await load('timeout-wheel/register')).register())
      const timer = setTimeout(() => {}, 60_000)
      const count = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
      const before = count()
      registration.unregister()
      ;(await load('timeout-wheel/register')).register()
      console.log(before, count())
      clearTimeout(timer)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['true false', '1 1'] })
  })
})

it('starts again after a program deletes it from the cache of require()', async () => {
  const outcome = await run(`
    import { createRequire } from 'node:module'
    const require = createRequire(process.cwd() + '/')
    const imported = await import('timeout-wheel')
    const first = require('timeout-wheel')
    for (const name of Object.keys(require.cache)) delete require.cache[name]
    const again = require('timeout-wheel')
    console.log(first === imported.default, again === first, again === require('timeout-wheel'))
    // Each has a shared wheel, and timers of two wheels have no order.
    first.setTimeout(() => {
      console.log('first')
      again.setTimeout(() => console.log('again'), 1)
    }, 1)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['true false true', 'first', 'again'] })
})

it('works if nothing can be added to the global object', async () => {
  const outcome = await run(`
    Object.preventExtensions(globalThis)
    const { setTimeout } = await import('timeout-wheel')
    setTimeout(() => console.log('ran'), 1)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['ran'] })
})

it.each(['native', 'wasm'])('opens nothing more if %s is loaded again and again', async (entry) => {
  const outcome = await run(`
    import { readdirSync } from 'node:fs'
    import { createRequire } from 'node:module'
    const require = createRequire(process.cwd() + '/')
    const files = () => process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0
    const load = () => {
      for (const file of Object.keys(require.cache)) delete require.cache[file]
      return require('timeout-wheel/${entry}')
    }
    const seen = new Set()
    let before
    for (let i = 0; i < 50; i++) {
      const { setTimeout } = load()
      seen.add(setTimeout)
      await new Promise((resolve) => setTimeout(resolve, 2))
      // The timerfd, which all share, is opened when a timer first has to wait: not at once if the machine stalls.
      if (i < 10) before = files()
    }
    console.log(seen.size, files() - before)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['50 0'] })
})
