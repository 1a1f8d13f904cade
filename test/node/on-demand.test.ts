/** What most programs do not use is in a file of its own. The package loads it once, at the first use. */
import { prints } from './prints.js'

prints(`
  # loads one file for ES modules and CommonJS -> 0 1
  import { createRequire } from 'node:module'
  const require = createRequire(process.cwd() + '/')
  const loaded = () => Object.keys(require.cache).filter((name) => /dist.features\\.cjs$/.test(name)).length
  const both = [require('timeout-wheel/native'), await import('timeout-wheel/native')]
  const before = loaded()
  for (const { timerGroup } of both) timerGroup(() => {}, 10).add(1)
  console.log(before, loaded())`)
