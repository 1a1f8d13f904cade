/**
 * Prints the size of the package in a page as JSON: bytes after bundling, minifying and gzip.
 *
 *   node .tooling/size.mjs
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { root } from './step.mjs'

const BROWSER = join(root, 'dist/browser.mjs')

/** @param {string} names that a page imports */
async function sizeOf(names) {
  const page = join(root, 'build/page.mjs')
  mkdirSync(join(root, 'build'), { recursive: true })
  writeFileSync(page, `export { ${names} } from ${JSON.stringify(BROWSER)}\n`)
  const bundle = await rolldown({ input: page })
  const { output } = await bundle.generate({ format: 'es', minify: true })
  await bundle.close()
  return gzipSync(output.map(({ code }) => code).join(''), { level: 9 }).length
}

const sizes = {
  wasm: statSync(join(root, 'dist/workerd/timeout_wheel.wasm')).size,
  whole: await sizeOf(
    'TimerWheel, backend, clearInterval, clearTimeout, configure, promises, setInterval, setTimeout',
  ),
  family: await sizeOf('clearTimeout, setTimeout'),
  backend: await sizeOf('backend'),
  configure: await sizeOf('configure'),
}
process.stdout.write(`${JSON.stringify(sizes)}\n`)
