/** The package exports what `node:timers` exports, with functions of the same shape. */

import { join } from 'node:path'
import * as nativeTimers from 'node:timers'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from '@jest/globals'
import { CLEAN, ENTRIES } from './backends.js'
import { ROOT, run } from './child.js'
import { expectLikeNative } from './like-native.js'

/** Exports that Node deprecated in version 10 and removed in 24. */
const DEPRECATED = ['_unrefActive', 'active', 'enroll', 'unenroll']

it.each(ENTRIES)('exports the names of node:timers from %s, without the deprecated ones', async (entry) => {
  const names = Object.keys(nativeTimers).filter((name) => ![...DEPRECATED, 'default'].includes(name))
  expect(names).toContain('clearImmediate')
  const outcome = await run(`
    import * as ours from '${entry}'
    import { createRequire } from 'node:module'
    const required = createRequire(process.cwd() + '/')('${entry}')
    const own = ['TimeoutMap', 'TimerWheel', 'backend', 'configure', 'stats', 'timeoutSignal', 'timerGroup', 'withTimeout']
    console.log(Object.keys(ours).filter((name) => !own.includes(name)).sort().join())
    console.log(Object.keys(required).filter((name) => !own.includes(name)).sort().join())
  `)
  expect(outcome).toEqual({ ...CLEAN, lines: [[...names, 'default'].sort().join(), names.sort().join()] })
})

it('has the default exports of node:timers and node:timers/promises: the object that require() returns', async () => {
  const show = (entry: string, promises: string): string => `
    import whole, * as names from '${entry}'
    import promises, { setTimeout as wait } from '${promises}'
    import { createRequire } from 'node:module'
    const require = createRequire(process.cwd() + '/')
    console.log(whole === require('${entry}'), whole.setTimeout === names.setTimeout, Object.isExtensible(whole))
    console.log(promises === require('${promises}'), promises === names.promises, promises.setTimeout === wait)
    console.log(Object.hasOwn(whole, 'default'), Object.hasOwn(promises, 'default'))
  `
  const native = await run(show('node:timers', 'node:timers/promises'))
  expect(native).toMatchObject(CLEAN)
  expect(await run(show('timeout-wheel', 'timeout-wheel/promises'))).toEqual(native)
})

const MODULES = ['node', 'native', 'wasm', 'browser', 'promises', 'promises-browser', 'workerd/workerd']

it('has a default export with all named exports in the modules for bundlers', async () => {
  const urls = MODULES.map((name) => pathToFileURL(join(ROOT, 'dist', `${name}.mjs`)).href)
  // Only workerd imports the WebAssembly file without help. In Node, `register` of node:module adds that. Node 26
  // deprecates this call, but Node 20 has no other.
  const script = `
    import { register } from 'node:module'
    const load = 'export async function load(url, context, next) {' +
      'return url.endsWith(".wasm") ? { format: "module", source: "export default 0", shortCircuit: true } : next(url, context) }'
    register('data:text/javascript,' + encodeURIComponent(load))
    for (const url of ${JSON.stringify(urls)}) {
      const { default: whole, ...names } = await import(url)
      const own = Object.keys(names)
      console.log(url, own.length > 3, own.every((name) => whole[name] === names[name]))
    }
  `
  const outcome = await run(script, ['--no-deprecation'])
  expect(outcome).toEqual({ ...CLEAN, lines: urls.map((url) => `${url} true true`) })
})

it("re-exports Node's own setImmediate and clearImmediate", async () => {
  for (const entry of ENTRIES) {
    const outcome = await run(`
      import { setImmediate, clearImmediate } from '${entry}'
      console.log(setImmediate === globalThis.setImmediate, clearImmediate === globalThis.clearImmediate)
    `)
    expect(outcome).toEqual({ ...CLEAN, lines: ['true true'] })
  }
})

describe('the functions', () => {
  it("have the names and lengths of Node's functions, and differ from each other", async () => {
    await expectLikeNative(`
      const own = [setTimeout, clearTimeout, setInterval, clearInterval]
      for (const f of own) {
        log(f.name, Object.getOwnPropertyDescriptor(f, 'length'), typeof f.prototype)
        log(Reflect.ownKeys(f).map(String).sort(), Object.keys(f))
      }
      log(new Set(own).size)
    `)
  })

  it('refuse a callback that is not a function as Node does', async () => {
    await expectLikeNative(`
      class Thing {}
      for (const bad of [undefined, null, 'text', 'x'.repeat(40), 5, 7n, {}, [], Symbol('s'), new Thing(), Object.create(null), NaN]) {
        for (const set of [setTimeout, setInterval]) {
          try { set(bad, 1); log('taken') } catch (error) { log(error.name, error.code, error.message, error instanceof TypeError, String(error.stack.split('\\n')[0])) }
        }
      }
      try { setTimeout(() => {}, 1n) } catch (error) { log(error.name, error.message) }
    `)
  })

  it('warn of delays as Node does', async () => {
    await expectLikeNative(`
      process.on('warning', ({ name, message, code }) => log(name, message, code))
      for (const delay of [undefined, 0, null, '', 'text', {}, NaN, 'again', -1, -0.5, '-7', -Infinity, 2 ** 31, 2 ** 31, '1e20', Infinity, 0.5, 1.5]) {
        for (const set of [setTimeout, setInterval]) clearTimeout(set(() => {}, delay))
      }
    `)
  })

  it('ignore values that refer to no timer', async () => {
    await expectLikeNative(`
      for (const value of [undefined, null, 0, -1, NaN, '', 'x', ' 1', {}, [], true, Symbol('s'), () => {}, 7n]) {
        clearTimeout(value)
        clearInterval(value)
      }
      clearTimeout()
      const t = setTimeout(() => log('ran'), 2)
      clearTimeout(+t + 1_000_000)
      clearTimeout(' ' + +t)
    `)
  })

  it('make handles whose numbers are the ids of their async resources', async () => {
    await expectLikeNative(`
      import { executionAsyncId } from 'node:async_hooks'
      const t = setTimeout(() => log(executionAsyncId() === +t), 1)
      log(typeof +t, String(t) === String(+t), +t === +t, t + 0 === +t)
      const interval = setInterval(() => { log(executionAsyncId() === +interval); clearInterval(+interval) }, 2)
      log(t.constructor.name, Object.prototype.toString.call(t), typeof t[Symbol.dispose ?? Symbol.for('Symbol.dispose')])
      log(t.ref() === t, t.unref() === t, t.hasRef(), t.refresh() === t, t.ref().hasRef())
    `)
  })
})

describe('util.inspect', () => {
  /** Removes Node's lists and private symbols. */
  const fields = (lines: string[]): string[] =>
    lines
      .filter((line) => !/_idle(Prev|Next|Start)|\[?Symbol\(/.test(line))
      .map((line) => line.replace(/,$/, ''))

  it('shows a handle like one of Node', async () => {
    const show = (entry: string): string => `
      import { setTimeout, setInterval, clearTimeout } from '${entry}'
      import { inspect } from 'node:util'
      const t = setTimeout(function named() {}, 7, { deep: { deeper: {} } }, 'text')
      console.log(inspect(t))
      console.log(inspect({ t }, { depth: 0, compact: false }))
      const cleared = setTimeout(() => {}, 7)
      clearTimeout(cleared)
      clearTimeout(t)
      console.log(inspect(cleared))
      const interval = setInterval(() => {}, 8)
      console.log(inspect(interval, { depth: 5 }))
      clearTimeout(interval)
    `
    const [native, ...ours] = await Promise.all(['node:timers', ...ENTRIES].map((entry) => run(show(entry))))
    expect(native).toMatchObject(CLEAN)
    expect(native!.lines).toContain('Timeout {')
    for (const outcome of ours) {
      expect(outcome).toMatchObject(CLEAN)
      expect(fields(outcome.lines)).toEqual(fields(native!.lines))
    }
  })
})
