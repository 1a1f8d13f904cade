/** `timeout-wheel/register` replaces the timers of Node, and changes nothing else. */
import { virtualClock } from '../../differential/clock.js'
import { CLEAN } from '../backends.js'
import { run } from '../child.js'
import { prints, printsWith } from '../prints.js'

const REQUIRE = ['--require', 'timeout-wheel/register']
const IMPORT = ['--import', 'timeout-wheel/register']

/** The flags and the first lines of a program that load it. */
const WAYS: Record<string, [flags: string[], first?: string]> = {
  '--require': [REQUIRE],
  '--import': [IMPORT],
  'both flags': [[...REQUIRE, ...IMPORT]],
  'an import': [[], `await import('timeout-wheel/register')`],
  'a call of require': [[], `require('timeout-wheel/register')`],
}

/** Prints the properties that are not ours, then what timers run. */
const programOf = (first = ''): string => `
  import { createRequire } from 'node:module'
  import util from 'node:util'
  import timers, * as named from 'node:timers'
  import promises, * as namedPromises from 'node:timers/promises'
  import { setTimeout as bound } from 'timers'
  const require = createRequire(process.cwd() + '/')
  ${first}
  const ours = await import('timeout-wheel')
  const ourPromises = await import('timeout-wheel/promises')
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
    })) show(where + '.' + name, module[name], ourPromises[name])
  }
  show('binding', bound, ours.setTimeout)
  show('promisify', util.promisify(setTimeout), promises.setTimeout)
  timers.setTimeout(console.log, 30, 'of require')
  setTimeout(console.log, 20, 'global')
  const interval = setInterval(() => { console.log('interval'); clearInterval(interval) }, 10)
  clearTimeout(setTimeout(console.log, 15, 'cleared'))
  await namedPromises.setTimeout(40)
  await promises.scheduler.wait(1)
  console.log('awaited', ours.backend)
`

it.each(Object.entries(WAYS))('replaces and runs timers of a program by %s', async (_way, [flags, first]) => {
  for (const backend of ['native', 'wasm']) {
    const env = { ...virtualClock(), TIMEOUT_WHEEL_BACKEND: backend }
    const outcome = await run(programOf(first), flags, env)
    expect(outcome).toEqual({ ...CLEAN, lines: ['interval', 'global', 'of require', `awaited ${backend}`] })
  }
})

printsWith(['--no-addons'], { TIMEOUT_WHEEL_BACKEND: 'native' })(`
  # replaces nothing if the program requires the addon and it does not load -> ERR_NATIVE_BACKEND true
  import { createRequire } from 'node:module'
  const native = setTimeout
  try { createRequire(process.cwd() + '/')('timeout-wheel/register') } catch ({ code }) { console.log(code, setTimeout === native) }`)

const FAMILY = 'clearInterval,clearTimeout,setInterval,setTimeout'
prints(`
  # changes only the values of these properties, neither their attributes nor other properties
  -> true | ${FAMILY} | ${FAMILY} | scheduler,setInterval,setTimeout
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
  # takes an object with a delay for a delay of 1 ms, as Node does, until unregister() -> true | ERR_INVALID_ARG_TYPE
  const { unregister } = await import('timeout-wheel/register')
  const ours = await import('timeout-wheel')
  const ourPromises = await import('timeout-wheel/promises')
  process.emitWarning = () => {}
  const start = performance.now()
  setTimeout(() => {
    console.log(performance.now() - start < 5000)
    unregister()
    try { ours.setTimeout(() => {}, { delay: 5000 }) } catch ({ code }) { console.log(code) }
  }, { delay: 5000 })`)
