/**
 * Builds the demo into build/demo, a static folder, and serves it.
 *
 *   node bench/demo/run.mjs [--build] [--port=N]
 *
 * --build  only builds
 * --port   4173 if not given; if the port is taken, the next free one
 */
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, preview } from 'vite'
import { mustRun } from '../../.tooling/step.mjs'

const { values } = parseArgs({ options: { build: { type: 'boolean' }, port: { type: 'string' } } })
const configFile = fileURLToPath(new URL('vite.config.ts', import.meta.url))

await mustRun(process.execPath, ['.tooling/build.mjs', '--only=wasm'])
await mustRun(process.execPath, ['.tooling/build.mjs', '--only=lib'])
await build({ configFile, logLevel: 'warn' })
if (values.build) console.log('build/demo')
else {
  const server = await preview({ configFile, preview: { port: Number(values.port ?? 4173) } })
  server.printUrls()
}
