/**
 * Builds the demo into build/demo, a static folder that works under any address, and serves it.
 *
 *   node bench/demo/run.mjs [--build]
 *
 * --build  only builds
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build, preview } from 'vite'
import { mustRun, root } from '../../.tooling/step.mjs'

const { values } = parseArgs({ options: { build: { type: 'boolean' } } })
const config = {
  configFile: false,
  root: join(root, 'bench/demo'),
  base: './',
  logLevel: 'warn',
  build: { outDir: join(root, 'build/demo'), emptyOutDir: true, target: 'es2022' },
}

await mustRun(process.execPath, ['.tooling/build.mjs', '--only=wasm,lib'])
await build(config)
if (values.build) console.log('build/demo')
else (await preview(config)).printUrls()
