/**
 * Prints sizes as JSON: bytes after bundling, minifying and gzip.
 *
 *   node .tooling/size.mjs              the package in a page
 *   node .tooling/size.mjs --drivers    the drivers on the event loop of Node and of a page, each without its imports
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { root } from './step.mjs'

const BROWSER = join(root, 'dist/browser.mjs')

/** @param {import('rolldown').InputOptions} input */
async function compressed(input) {
  const bundle = await rolldown(input)
  const { output } = await bundle.generate({ format: 'es', minify: true })
  await bundle.close()
  return gzipSync(output.map(({ code }) => code).join(''), { level: 9 }).length
}

/** @param {string} names that a page imports */
function sizeOf(names) {
  const input = join(root, 'build/page.mjs')
  mkdirSync(join(root, 'build'), { recursive: true })
  writeFileSync(input, `export { ${names} } from ${JSON.stringify(BROWSER)}\n`)
  return compressed({ input })
}

/** @param {'node' | 'page'} platform */
function sizeOfDriver(platform) {
  const input = join(root, 'lib', platform, 'drivers/event-loop.ts')
  return compressed({ input, external: (id) => id !== input })
}

const drivers = async () => ({ node: await sizeOfDriver('node'), page: await sizeOfDriver('page') })

const wholePackage = async () => ({
  wasm: statSync(join(root, 'dist/workerd/timeout_wheel.wasm')).size,
  whole: await sizeOf(
    'TimerWheel, backend, clearInterval, clearTimeout, configure, promises, setInterval, setTimeout',
  ),
  family: await sizeOf('clearTimeout, setTimeout'),
  backend: await sizeOf('backend'),
  configure: await sizeOf('configure'),
})

const sizes = process.argv[2] === '--drivers' ? drivers() : wholePackage()
process.stdout.write(`${JSON.stringify(await sizes)}\n`)
