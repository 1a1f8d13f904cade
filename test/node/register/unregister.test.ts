/** `unregister()` restores the former timers, and `register()` may be called again. */
import { prints, printsInOneProcess } from '../prints.js'

const restores = printsInOneProcess({
  prelude: `
    import assert from 'node:assert'
    import { createRequire } from 'node:module'
    import timers, * as named from 'node:timers'
    import promises, * as namedPromises from 'node:timers/promises'
    const all = () => [globalThis, timers, named, promises, namedPromises, process].map((target) =>
      ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'scheduler']
        .map((name) => Object.getOwnPropertyDescriptor(target, name)))
    const native = { all: all(), setTimeout }
    const isNative = () => assert.deepStrictEqual(all(), native.all)
    const { register, unregister } = await import('timeout-wheel/register')
    const registered = all()
    assert.notDeepStrictEqual(registered, native.all)
    const isOurs = () => assert.deepStrictEqual(all(), registered)
    const theirs = () => {}`,
  before: 'register()',
  after: 'unregister()',
})

restores(`
  # restores exactly the former properties, and register() replaces them again, both once -> 0 0 true false false
  isOurs()
  for (let i = 0; i < 2; i++) {
    const lost = [unregister(), unregister()].map(({ length }) => length)
    isNative()
    const again = [register(), register(), createRequire(process.cwd() + '/')('timeout-wheel/register').register()]
    isOurs()
    if (i > 0) console.log(...lost, ...again)
  }`)

restores(`
  # keeps properties that another tool has replaced since, and reports that
  -> globalThis.setTimeout,node:timers.setInterval | true false | node:timers.setInterval
  const ours = globalThis.setTimeout
  const { setInterval } = timers
  globalThis.setTimeout = theirs
  delete timers.setInterval
  console.log(unregister().join())
  console.log(globalThis.setTimeout === theirs, 'setInterval' in timers)
  // The tool restores what it found, so the next call finds our timers.
  globalThis.setTimeout = ours
  console.log(unregister().join())
  assert.strictEqual(globalThis.setTimeout, native.setTimeout)
  timers.setInterval = setInterval
  # lets register() replace timers that another tool has set since, and restores those
  -> true | globalThis.setTimeout true | 0
  const ours = globalThis.setTimeout
  globalThis.setTimeout = theirs
  unregister()
  register()
  console.log(globalThis.setTimeout === ours)
  console.log(unregister().join(), globalThis.setTimeout === theirs)
  globalThis.setTimeout = ours
  console.log(unregister().length)
  isNative()
  # keeps running the timers that are pending -> awaited,ran,three times
  const seen = []; setTimeout(() => seen.push('ran'), 20)
  const third = new Promise((resolve) => {
    let runs = 0
    const interval = setInterval(() => { if (++runs === 3) { interval.close(); resolve('three times') } }, 15)
  })
  const waiting = namedPromises.setTimeout(60, 'awaited')
  unregister(); seen.push(await waiting, await third)
  console.log(seen.sort().join())`)

prints(`
  # replaces all or none -> TypeError | true
  const { default: promises } = await import('node:timers/promises')
  Object.defineProperty(promises, 'scheduler', { writable: false, configurable: false })
  const native = setTimeout
  await import('timeout-wheel/register').catch(({ name }) => console.log(name))
  console.log(setTimeout === native)`)
