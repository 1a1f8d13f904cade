/** `timeout-wheel/register` replaces the timers of Node, and changes nothing else. */
import { describe, expect, it } from '@jest/globals'
import { virtualClock } from '../../differential/clock.js'
import { CLEAN } from '../backends.js'
import { run } from '../child.js'

/** The ways to load it: by flags of Node, and by the first lines of a program. */
const WAYS = [
  ['--require', ['--require', 'timeout-wheel/register'], ''],
  ['--import', ['--import', 'timeout-wheel/register'], ''],
  ['both flags', ['--require', 'timeout-wheel/register', '--import', 'timeout-wheel/register'], ''],
  ['an import', [], `await import('timeout-wheel/register')`],
  [
    'a call of require',
    [],
    `process.getBuiltinModule('module').createRequire(process.cwd() + '/')('timeout-wheel/register')`,
  ],
] as const

const GET = `
  import { createRequire } from 'node:module'
  import util from 'node:util'
  import timers, * as named from 'node:timers'
  import promises, * as namedPromises from 'node:timers/promises'
  import { setTimeout as bound } from 'timers'
  const require = createRequire(process.cwd() + '/')
`

/** The program prints the properties that timeout-wheel has not replaced. */
const SHOW_NATIVE = `
  const ours = await import('timeout-wheel')
  const show = (name, value, wanted) => { if (value !== wanted) console.log(name) }
  for (const name of ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval']) {
    show('globalThis.' + name, globalThis[name], ours[name])
    for (const [where, module] of Object.entries({
      'default of node:timers': timers,
      'named of node:timers': named,
      "require('timers')": require('timers'),
      "require('node:timers')": require('node:timers'),
      'import()': await import('node:timers'),
      'getBuiltinModule': process.getBuiltinModule?.('timers') ?? ours,
    })) show(where + '.' + name, module[name], ours[name])
  }
  for (const name of ['setTimeout', 'setInterval', 'scheduler']) {
    for (const [where, module] of Object.entries({
      'default of node:timers/promises': promises,
      'named of node:timers/promises': namedPromises,
      "require('timers/promises')": require('timers/promises'),
      'timers.promises': timers.promises,
    })) show(where + '.' + name, module[name], ours.promises[name])
  }
  show('binding', bound, ours.setTimeout)
  show('promisify', util.promisify(setTimeout), promises.setTimeout)
  console.log('end')
`

describe.each(WAYS)('%s', (_way, flags, first) => {
  it.each(['native', 'wasm'])('replaces the globals and the exports of Node, on %s', async (backend) => {
    const outcome = await run(
      `${GET}
      ${first}
      ${SHOW_NATIVE}
      console.log(ours.backend)`,
      [...flags],
      { TIMEOUT_WHEEL_BACKEND: backend },
    )
    expect(outcome).toEqual({ ...CLEAN, lines: ['end', backend] })
  })

  it('runs the timers of a program', async () => {
    const outcome = await run(
      `${GET}
      ${first}
      timers.setTimeout(console.log, 30, 'of require')
      setTimeout(console.log, 20, 'global')
      const interval = setInterval(() => { console.log('interval'); clearInterval(interval) }, 10)
      clearTimeout(setTimeout(console.log, 15, 'cleared'))
      await namedPromises.setTimeout(40)
      await promises.scheduler.wait(1)
      console.log('awaited')`,
      [...flags],
      virtualClock(),
    )
    expect(outcome).toEqual({ ...CLEAN, lines: ['interval', 'global', 'of require', 'awaited'] })
  })
})

it('falls back to WebAssembly with --no-addons', async () => {
  const script = `import { backend, setTimeout as ours } from 'timeout-wheel'
    setTimeout(() => console.log(backend, setTimeout === ours), 1)`
  const outcome = await run(script, ['--no-addons', '--require', 'timeout-wheel/register'])
  expect(outcome).toEqual({ ...CLEAN, lines: ['wasm true'] })
})

it('replaces nothing if the program requires the addon and it does not load', async () => {
  const outcome = await run(
    `import { createRequire } from 'node:module'
    const native = setTimeout
    try { createRequire(process.cwd() + '/')('timeout-wheel/register') } catch ({ code }) { console.log(code) }
    console.log(setTimeout === native)`,
    ['--no-addons'],
    { TIMEOUT_WHEEL_BACKEND: 'native' },
  )
  expect(outcome).toEqual({ ...CLEAN, lines: ['ERR_NATIVE_BACKEND', 'true'] })
})

it('changes only the values of these properties, neither their attributes nor other properties', async () => {
  const outcome = await run(`
    import timers from 'node:timers'
    import promises from 'node:timers/promises'
    import { isDeepStrictEqual } from 'node:util'
    const targets = [globalThis, timers, promises]
    const shapes = () => targets.map((target) => Object.entries(Object.getOwnPropertyDescriptors(target))
      .map(([key, { value, ...shape }]) => [key, typeof value, shape]))
    const values = () => targets.map((target) => ({ ...target }))
    // The order matters: some getters turn into values at their first read.
    const [before, shapesBefore] = [values(), shapes()]
    await import('timeout-wheel/register')
    const [after, shapesAfter] = [values(), shapes()]
    console.log(isDeepStrictEqual(shapesBefore, shapesAfter))
    for (const [i, one] of before.entries())
      console.log(Object.keys(one).filter((key) => one[key] !== after[i][key]).sort().join())
  `)
  const family = 'clearInterval,clearTimeout,setInterval,setTimeout'
  expect(outcome).toEqual({
    ...CLEAN,
    lines: ['true', family, family, 'scheduler,setInterval,setTimeout'],
  })
})
