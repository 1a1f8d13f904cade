/** Prints as JSON what a page loads of the package: bytes after bundling, minifying and gzip. */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { root } from './step.mjs'

const IMPORTS = {
  whole: '*',
  main: '{ TimerWheel, backend, clearInterval, clearTimeout, configure, promises, setInterval, setTimeout }',
  family: '{ clearTimeout, setTimeout }',
  backend: '{ backend }',
  signals: '{ timeoutSignal }',
  withTimeout: '{ withTimeout }',
  configure: '{ configure }',
  map: '{ TimeoutMap }',
  group: '{ timerGroup }',
  wheel: '{ TimerWheel }',
}

async function sizeOf(names) {
  const input = join(root, 'build/page.mjs')
  writeFileSync(input, `export ${names} from ${JSON.stringify(join(root, 'dist/browser.mjs'))}\n`)
  const bundle = await rolldown({ input })
  const { output } = await bundle.generate({ format: 'es', minify: true })
  await bundle.close()
  return gzipSync(output.map(({ code }) => code).join(''), { level: 9 }).length
}

const sizes = { wasm: statSync(join(root, 'dist/workerd/timeout_wheel.wasm')).size }
for (const [part, names] of Object.entries(IMPORTS)) sizes[part] = await sizeOf(names)
console.log(JSON.stringify(sizes))
