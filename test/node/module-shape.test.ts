/** The names that the package exports, and the shape of its functions, which is that of Node's. */
import { eachLikeNativeInOne } from './like-native.js'
import { prints, printsWith } from './prints.js'

prints(`
  # timeout-wheel/promises has the object that require() returns as default export, as Node's module has
  -> node:timers/promises true true false
  -> timeout-wheel/promises true true false
  import { createRequire } from 'node:module'
  const require = createRequire(process.cwd() + '/')
  for (const entry of ['node:timers/promises', 'timeout-wheel/promises']) {
    const { default: promises, setTimeout } = await import(entry)
    console.log(entry, promises === require(entry), promises.setTimeout === setTimeout, Object.hasOwn(promises, 'default'))
  }`)

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// Node 22 prints that node:sqlite is experimental.
printsWith(['--disable-warning=ExperimentalWarning'])(`
  # has durable timers in a file where Node has node:sqlite, and else says from which version on
  -> ${
    major > 22 || (major === 22 && minor >= 13)
      ? 'open'
      : `ERR_DURABLE_UNSUPPORTED 22.13 ${process.versions.node}`
  }
  const { DurableTimers } = await import('timeout-wheel/durable')
  const ended = await DurableTimers.open(':memory:').then(
    (timers) => (timers.close(), ['open']),
    ({ code, message }) => [code, ...message.match(/[0-9.]{5,}/g)],
  )
  console.log(...ended)`)

describe('the functions', () => {
  eachLikeNativeInOne(
    `
    # have the names and lengths of Node's functions, and differ from each other
    const own = [setTimeout, clearTimeout, setInterval, clearInterval]
    for (const f of own) {
      log(f.name, Object.getOwnPropertyDescriptor(f, 'length'), typeof f.prototype)
      log(Reflect.ownKeys(f).map(String).filter((key) => !key.includes('timeout-wheel')).sort(), Object.keys(f))
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
