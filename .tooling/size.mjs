/**
 * Prints sizes as JSON: bytes after bundling, minifying and gzip.
 *
 *   node .tooling/size.mjs              the package in a page
 *   node .tooling/size.mjs --drivers    the drivers on the event loop of Node and of a page, each without its imports
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { root } from './step.mjs'

const BROWSER = join(root, 'dist/browser.mjs')

const ALL = 'TimerWheel, backend, clearInterval, clearTimeout, configure, promises, setInterval, setTimeout'

/** @param {import('rolldown').InputOptions} input */
async function minified(input) {
  const bundle = await rolldown(input)
  const { output } = await bundle.generate({ format: 'es', minify: true })
  await bundle.close()
  return output.map(({ code }) => code).join('')
}

const compressed = (code) => gzipSync(code, { level: 9 }).length

/** @param {string} names that a page imports */
function minifiedImport(names) {
  const input = join(root, 'build/page.mjs')
  mkdirSync(join(root, 'build'), { recursive: true })
  writeFileSync(input, `export { ${names} } from ${JSON.stringify(BROWSER)}\n`)
  return minified({ input })
}

export const minifiedPackage = () => minifiedImport(ALL)

const sizeOf = async (names) => compressed(await minifiedImport(names))

/** @param {'node' | 'page'} platform */
async function sizeOfDriver(platform) {
  const input = join(root, 'lib', platform, 'drivers/event-loop.ts')
  return compressed(await minified({ input, external: (id) => id !== input }))
}

const drivers = async () => ({ node: await sizeOfDriver('node'), page: await sizeOfDriver('page') })

const wholePackage = async () => ({
  wasm: statSync(join(root, 'dist/workerd/timeout_wheel.wasm')).size,
  whole: await sizeOf(ALL),
  family: await sizeOf('clearTimeout, setTimeout'),
  backend: await sizeOf('backend'),
  signals: await sizeOf('timeoutSignal'),
  withTimeout: await sizeOf('withTimeout'),
  configure: await sizeOf('configure'),
  map: await sizeOf('TimeoutMap'),
  group: await sizeOf('timerGroup'),
  wheel: await sizeOf('TimerWheel'),
})

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const sizes = process.argv[2] === '--drivers' ? drivers() : wholePackage()
  process.stdout.write(`${JSON.stringify(await sizes)}\n`)
}
