/** The package exports what `node:timers` exports, with functions of the same shape. */
import { join } from 'node:path'
import * as nativeTimers from 'node:timers'
import { pathToFileURL } from 'node:url'
import { describe } from '@jest/globals'
import { ENTRIES } from './backends.js'
import { ROOT } from './child.js'
import { eachLikeNativeInOne } from './like-native.js'
import { prints, printsWith } from './prints.js'

/** Exports that Node deprecated in version 10 and removed in 24. */
const DEPRECATED = ['_unrefActive', 'active', 'enroll', 'unenroll']
const names = Object.keys(nativeTimers).filter((name) => ![...DEPRECATED, 'default'].includes(name))

describe.each(ENTRIES)('%s', (entry) => {
  prints(`
    # exports the names of node:timers without the deprecated ones, and Node's own immediates
    -> ${[...names, 'default'].sort().join()} | ${names.sort().join()} | true true
    import * as ours from '${entry}'
    import { createRequire } from 'node:module'
    const required = createRequire(process.cwd() + '/')('${entry}')
    const own = ['TimeoutMap', 'TimerWheel', 'backend', 'configure', 'pendingTimers', 'setLongTimeout', 'stats', 'timeoutSignal', 'timerGroup', 'withTimeout']
    for (const all of [ours, required]) console.log(Object.keys(all).filter((name) => !own.includes(name)).sort().join())
    console.log(ours.setImmediate === setImmediate, ours.clearImmediate === clearImmediate)`)
})

prints(`
  # has the object that require() returns as default export, as node:timers has
  -> node:timers | true true true | true true true | false false
  -> timeout-wheel | true true true | true true true | false false
  import { createRequire } from 'node:module'
  const require = createRequire(process.cwd() + '/')
  for (const [entry, ofPromises] of [['node:timers', 'node:timers/promises'], ['timeout-wheel', 'timeout-wheel/promises']]) {
    const { default: whole, ...names } = await import(entry)
    const { default: promises, setTimeout: wait } = await import(ofPromises)
    console.log(entry)
    console.log(whole === require(entry), whole.setTimeout === names.setTimeout, Object.isExtensible(whole))
    console.log(promises === require(ofPromises), promises === names.promises, promises.setTimeout === wait)
    console.log(Object.hasOwn(whole, 'default'), Object.hasOwn(promises, 'default'))
  }`)

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
prints(`
  # has durable timers where Node has node:sqlite, and else says from which version on
  -> ${
    major > 22 || (major === 22 && minor >= 13)
      ? 'function'
      : `ERR_DURABLE_UNSUPPORTED 22.13 ${process.versions.node}`
  }
  const ended = await import('timeout-wheel/durable').then(
    ({ DurableTimers }) => [typeof DurableTimers],
    ({ code, message }) => [code, ...message.match(/[0-9.]{5,}/g)],
  )
  console.log(...ended)`)

const MODULES = ['node', 'native', 'wasm', 'browser', 'promises', 'promises-browser', 'workerd/workerd']
const urls = MODULES.map((name) => pathToFileURL(join(ROOT, 'dist', `${name}.mjs`)).href)

// Only workerd imports the WebAssembly file without help. In Node, `register` of node:module adds that. Node 26
// deprecates this call, but Node 20 has no other.
printsWith(['--no-deprecation'])(`
  # has a default export with all named exports in the modules for bundlers
  -> ${urls.map((url) => `${url} true true`).join(' | ')}
  import { register } from 'node:module'
  const load = 'export async function load(url, context, next) {' +
    'return url.endsWith(".wasm") ? { format: "module", source: "export default 0", shortCircuit: true } : next(url, context) }'
  register('data:text/javascript,' + encodeURIComponent(load))
  for (const url of ${JSON.stringify(urls)}) {
    const { default: whole, ...names } = await import(url)
    const own = Object.keys(names)
    console.log(url, own.length > 3, own.every((name) => whole[name] === names[name]))
  }`)

describe('the functions', () => {
  eachLikeNativeInOne(
    `
    # have the names and lengths of Node's functions, and differ from each other
    const own = [setTimeout, clearTimeout, setInterval, clearInterval]
    for (const f of own) {
      log(f.name, Object.getOwnPropertyDescriptor(f, 'length'), typeof f.prototype)
      log(Reflect.ownKeys(f).map(String).sort(), Object.keys(f))
    }
    log(new Set(own).size)
    # make handles whose numbers are the ids of their async resources
    const t = setTimeout(() => log(executionAsyncId() === +t), 1)
    log(typeof +t, String(t) === String(+t), +t === +t, t + 0 === +t)
    const interval = setInterval(() => { log(executionAsyncId() === +interval); clearInterval(+interval) }, 2)
    log(t.constructor.name, Object.prototype.toString.call(t), typeof t[Symbol.dispose ?? Symbol.for('Symbol.dispose')])
    log(t.ref() === t, t.unref() === t, t.hasRef(), t.refresh() === t, t.ref().hasRef())
    # make handles that util.inspect shows as those of Node
    // Without Node's lists and private symbols.
    const show = (value, options) => {
      const isField = (line) => !/_idle(Prev|Next|Start)|\\[?Symbol\\(/.test(line)
      for (const line of inspect(value, options).split('\\n').filter(isField)) log(line.replace(/,$/, ''))
    }
    const t = setTimeout(function named() {}, 7, { deep: { deeper: {} } }, 'text')
    show(t)
    show({ t }, { depth: 0, compact: false })
    const cleared = setTimeout(() => {}, 7)
    clearTimeout(cleared)
    clearTimeout(t)
    show(cleared)
    const interval = setInterval(() => {}, 8)
    show(interval, { depth: 5 })
    clearTimeout(interval)`,
    `import { executionAsyncId } from 'node:async_hooks'`,
  )
})
