/** What most programs do not use is in a file of its own, which the package loads at the first use. */
import { printsInOneProcess } from './prints.js'

const it = printsInOneProcess({
  prelude: `
    import module, { createRequire } from 'node:module'
    const require = createRequire(process.cwd() + '/')
    const loaded = () => Object.keys(require.cache).filter((name) => /dist.features\\.cjs$/.test(name))
    /** Returns a new copy of the package, which has not loaded the file. */
    const copy = () => {
      for (const file of Object.keys(require.cache)) delete require.cache[file]
      return require('timeout-wheel/native')
    }
    let native`,
})

for (const use of [
  "native.timerGroup(() => {}, 10).add('member')",
  "new native.TimeoutMap({ ttl: 10 }).set('key', 'value')",
  'native.timeoutSignal(10)',
  'await native.withTimeout(native.promises.setTimeout(1), 1_000)',
  "new native.TimerWheel({ driver: 'manual' }).advance(1)",
  "new native.TimerWheel().group(() => {}, 10).add('member')",
  'new native.TimerWheel().setInterval(() => {}, { delay: 10, drift: false }).unref()',
]) {
  it(`
    # loads the file at the first use: ${use} -> 0 0 1
    native = copy(); const before = loaded().length
    // Timers as programs use them most.
    native.setInterval(() => {}, 1_000).unref().close()
    native.clearTimeout(native.setTimeout(() => {}, 10).refresh())
    native.setLongTimeout(() => {}, 2 ** 40).close()
    new native.TimerWheel().cancel(new native.TimerWheel().schedule(() => {}, 10))
    await native.promises.setTimeout(1)
    native.stats()
    const between = loaded().length
    ${use}
    console.log(before, between, loaded().length)`)
}

it(`
  # loads one file for ES modules and CommonJS -> 1
  copy().timerGroup(() => {}, 10).add(1); const imported = await import('timeout-wheel/native')
  imported.timerGroup(() => {}, 10).add(1)
  console.log(loaded().length)
  # loads the file again if a time limit has ended the first load -> true | expired
  native = copy()
  // What the limit leaves: Node has made the module, and its code has not run to its end.
  const file = require.resolve('timeout-wheel/native').replace('native.cjs', 'features.cjs')
  require.cache[file] = new module.Module(file)
  native.timerGroup(() => console.log('expired'), 10).add(1)
  console.log(loaded()[0] === file)`)
