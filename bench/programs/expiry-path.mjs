/**
 * Counts the functions of the package that run when a timer expires, and their files: V8's precise coverage of a warm wheel, from the
 * timer of the addon to the callback. Prints them as JSON. Run by bench/parts/path.mjs.
 */
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { SourceMap } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'build/expiry-path')
const bundle = join(folder, 'dist/node.mjs')

// One bundle with a source map, beside the addon.
rmSync(folder, { recursive: true, force: true })
mkdirSync(dirname(bundle), { recursive: true })
symlinkSync(join(root, 'prebuilds'), join(folder, 'prebuilds'))
await build({
  absWorkingDir: root,
  entryPoints: ['lib/entry/native.ts'],
  outfile: bundle,
  bundle: true,
  sourcemap: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'error',
})
const { setTimeout } = await import(pathToFileURL(bundle).href)

const once = () => new Promise((resolve) => setTimeout(resolve, 2))
for (let i = 0; i < 200; i++) await once()

const session = new Session()
session.connect()
await session.post('Profiler.enable')
const ended = new Promise((resolve) => setTimeout(resolve, 100))
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await ended
const { result } = await session.post('Profiler.takePreciseCoverage')
session.disconnect()

const text = readFileSync(bundle, 'utf8')
const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')))
const fileAt = (offset) => {
  const before = text.slice(0, offset).split('\n')
  const { originalSource } = map.findEntry(before.length - 1, before.at(-1).length)
  return relative(root, join(dirname(bundle), originalSource))
}
const { functions } = result.find(({ url }) => url.endsWith('/expiry-path/dist/node.mjs'))
const ran = functions.filter(({ ranges }) => ranges[0].count > 0)
const path = ran.map(({ functionName, ranges }) => ({
  name: functionName,
  file: fileAt(ranges[0].startOffset),
}))
console.log(JSON.stringify(path))
