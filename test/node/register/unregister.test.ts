/** `unregister()` restores the former timers, and `register()` may be called again. */
import { expect, it } from '@jest/globals'
import { CLEAN } from '../backends.js'
import { run } from '../child.js'

const PRELUDE = `
  import assert from 'node:assert'
  import timers, * as named from 'node:timers'
  import promises, * as namedPromises from 'node:timers/promises'
  const all = () => [globalThis, timers, named, promises, namedPromises, process].map((target) =>
    ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'scheduler', 'getActiveResourcesInfo']
      .map((name) => Object.getOwnPropertyDescriptor(target, name)))
  const native = { all: all(), setTimeout, clearTimeout }
  const { register, unregister } = await import('timeout-wheel/register')
`

it('restores exactly the former properties', async () => {
  const outcome = await run(`${PRELUDE}
    assert.notStrictEqual(setTimeout, native.setTimeout)
    console.log(unregister().length)
    assert.deepStrictEqual(all(), native.all)
    console.log(unregister().length)
    assert.deepStrictEqual(all(), native.all)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['0', '0'] })
})

it.each(['register', 'unregister'])('restores all properties after an interruption of %s()', async (name) => {
  const outcome = await run(`${PRELUDE}
    const { defineProperty } = Object
    const { reverse } = Array.prototype
    let calls = Infinity
    const interrupt = () => { if (--calls === 0) throw new Error('interrupted') }
    Object.defineProperty = (...args) => { interrupt(); return defineProperty(...args) }
    Array.prototype.reverse = function () { interrupt(); return reverse.call(this) }
    let interrupted = 0
    for (let n = 1; n < 12; n++) {
      if ('${name}' === 'register') unregister()
      calls = n
      try { ${name}() } catch { interrupted++ }
      calls = Infinity
      unregister()
      assert.deepStrictEqual(all(), native.all)
      register()
    }
    console.log(interrupted > 5, unregister().length)
    assert.deepStrictEqual(all(), native.all)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['true 0'] })
})

it('replaces them once, however often register() is called, and again after unregister()', async () => {
  const outcome = await run(`${PRELUDE}
    const { createRequire } = await import('node:module')
    const ours = all()
    console.log(register(), createRequire(process.cwd() + '/')('timeout-wheel/register').register())
    assert.deepStrictEqual(all(), ours)
    unregister()
    assert.deepStrictEqual(all(), native.all)
    console.log(register())
    assert.deepStrictEqual(all(), ours)
    unregister()
    assert.deepStrictEqual(all(), native.all)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['false false', 'true'] })
})

it('undoes a registration by a flag of Node', async () => {
  const script = `
    import { unregister } from 'timeout-wheel/register'
    const { setTimeout: ours } = await import('timeout-wheel')
    console.log(setTimeout === ours)
    console.log(unregister().length, setTimeout === ours)`
  for (const flag of ['--require', '--import']) {
    expect(await run(script, [flag, 'timeout-wheel/register'])).toEqual({
      ...CLEAN,
      lines: ['true', '0 false'],
    })
  }
})

it('keeps properties that another tool has replaced since, and reports that', async () => {
  const outcome = await run(`${PRELUDE}
    const ours = globalThis.setTimeout
    const theirs = () => {}
    globalThis.setTimeout = theirs
    delete timers.setInterval
    console.log(unregister().join())
    console.log(globalThis.setTimeout === theirs, 'setInterval' in timers)
    // The tool restores what it found, so the next call finds our timers.
    globalThis.setTimeout = ours
    console.log(unregister().join())
    assert.strictEqual(globalThis.setTimeout, native.setTimeout)
  `)
  expect(outcome).toEqual({
    ...CLEAN,
    lines: ['globalThis.setTimeout,node:timers.setInterval', 'true false', 'node:timers.setInterval'],
  })
})

it('replaces timers that another tool has set since, and restores those', async () => {
  const outcome = await run(`${PRELUDE}
    const ours = globalThis.setTimeout
    const theirs = () => {}
    globalThis.setTimeout = theirs
    unregister()
    register()
    console.log(globalThis.setTimeout === ours)
    console.log(unregister().join(), globalThis.setTimeout === theirs)
    globalThis.setTimeout = ours
    console.log(unregister().length)
    assert.deepStrictEqual(all(), native.all)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['true', 'globalThis.setTimeout true', '0'] })
})

it('replaces all or none', async () => {
  const outcome = await run(`
    const { default: promises } = await import('node:timers/promises')
    Object.defineProperty(promises, 'scheduler', { writable: false, configurable: false })
    const native = setTimeout
    await import('timeout-wheel/register').catch(({ name }) => console.log(name))
    console.log(setTimeout === native)
  `)
  expect(outcome.lines).toEqual(['TypeError', 'true'])
})

it('keeps running the timers that are pending', async () => {
  const outcome = await run(`${PRELUDE}
    setTimeout(console.log, 20, 'ran')
    let runs = 0
    const interval = setInterval(() => { if (++runs === 3) { console.log('three times'); interval.close() } }, 15)
    const waiting = namedPromises.setTimeout(60, 'awaited')
    unregister()
    console.log(await waiting)
  `)
  expect(outcome.lines.sort()).toEqual(['awaited', 'ran', 'three times'])
  expect(outcome).toMatchObject(CLEAN)
})

it("lets Node's own clearTimeout clear our handles", async () => {
  const outcome = await run(`${PRELUDE}
    const timeout = setTimeout(console.log, 20, 'timeout')
    const interval = setInterval(console.log, 20, 'interval')
    native.clearTimeout(setTimeout(console.log, 20, 'while registered'))
    unregister()
    clearTimeout(timeout)
    clearInterval(interval)
    console.log(timeout._destroyed, timeout.refresh()._destroyed)
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['true true'] })
})

it('clears timers that Node set earlier, by handle and number', async () => {
  const outcome = await run(`
    import { setTimeout as nativeSetTimeout } from 'node:timers'
    const native = setTimeout
    // Long enough that none is due while the package loads. A timer that stays keeps the process alive until it is
    // killed.
    const late = () => console.log('late')
    const timeouts = [setTimeout(late, 60_000), setInterval(late, 60_000)]
    const numbers = [+setTimeout(late, 60_000), String(+setInterval(late, 60_000))]
    await import('timeout-wheel/register')
    for (const one of [...timeouts, ...numbers, native(late, 60_000), +native(late, 60_000)]) clearTimeout(one)
    console.log('end')
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: ['end'] })
})
