/** What most programs do not use is in a file of its own. The package loads it once, at the first use. */
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
