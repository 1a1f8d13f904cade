/** What most programs do not use is in a file of its own, which the package loads at the first use. */
import { expect, it } from '@jest/globals'
import { CLEAN } from './backends.js'
import { run } from './child.js'

/** Says `true` if the file is loaded. */
const SAY = `
  import module, { createRequire } from 'node:module'
  const cache = module._cache
  const path = () => Object.keys(cache).find((name) => /dist.features\\.cjs$/.test(name))
  const say = () => console.log(path() !== undefined)
`

const FEATURES = [
  "timerGroup(() => {}, 10).add('member')",
  "new TimeoutMap({ ttl: 10 }).set('key', 'value')",
  'timeoutSignal(10)',
  'await withTimeout(promises.setTimeout(1), 1_000)',
  "new TimerWheel({ driver: 'manual' }).advance(1)",
  "new TimerWheel().group(() => {}, 10).add('member')",
]

/** Timers as programs use them most. */
const COMMON = `
  setInterval(() => {}, 1_000).unref().close()
  clearTimeout(setTimeout(() => {}, 10).refresh())
  new TimerWheel().cancel(new TimerWheel().schedule(() => {}, 10))
  await promises.setTimeout(1)
  stats()
`
const NAMES =
  'TimerWheel, TimeoutMap, clearTimeout, promises, setInterval, setTimeout, stats, timeoutSignal, timerGroup, withTimeout'

it.each(FEATURES)('loads the file at the first use: %s', async (use) => {
  const outcome = await run(`
    ${SAY}
    import { ${NAMES} } from 'timeout-wheel/native'
    say()
    ${COMMON}
    say()
    ${use}
    say()
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['false', 'false', 'true'] })
})

it('loads one file for ES modules and CommonJS', async () => {
  const outcome = await run(`
    ${SAY}
    import { timerGroup } from 'timeout-wheel/native'
    const required = createRequire(process.cwd() + '/')('timeout-wheel/native')
    timerGroup(() => {}, 10).add(1)
    required.timerGroup(() => {}, 10).add(1)
    console.log(Object.keys(cache).filter((name) => name.includes('features')).length)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['1'] })
})

it('loads the file again if a time limit has ended the first load', async () => {
  const outcome = await run(`
    ${SAY}
    import { timerGroup } from 'timeout-wheel/native'
    // What the limit leaves: Node has made the module, and its code has not run to its end.
    const file = createRequire(process.cwd() + '/').resolve('timeout-wheel/native').replace('native.cjs', 'features.cjs')
    cache[file] = new module.Module(file)
    timerGroup(() => console.log('expired'), 10).add(1)
    console.log(path() === file)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['true', 'expired'] })
})
