/**
 * Runs a specification of the contract on the addon of another platform, in Node for that platform.
 *
 *   node test/prebuilt/contract.mjs PLATFORM SPECIFICATION OUTCOMES
 *
 * Writes the outcomes of the tests into the file OUTCOMES, one in a line, and ends with the code of that Node.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { runForeign } from '../../.tooling/foreign.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
/** Milliseconds for the specification. It is below the limit of the test, so that the output names what did not end. */
const LIMIT = 280_000
const RUNNER = join(root, 'test/browser/contract/runner.ts')

process.env.TIMEOUT_WHEEL_SCALE = 'small' // An emulated processor is slow.
const [, , platform, spec, outcomes] = process.argv
const program = join(root, `build/prebuilt/${platform}-${spec}.cjs`)

const contents = `
  import { appendFileSync } from 'node:fs'
  import { noteStray, openSpec, runAll } from ${JSON.stringify(RUNNER)}
  const out = require('node:path').join(__dirname, ${JSON.stringify(relative(dirname(program), outcomes))})
  process.on('unhandledRejection', noteStray)
  async function main() {
    openSpec('${spec}')
    await import(${JSON.stringify(join(root, `test/contract/${spec}.test.ts`))})
    await runAll(() => undefined, async (outcome) => appendFileSync(out, JSON.stringify(outcome) + '\\n'))
    process.exit(0)
  }
  main().catch((error) => setImmediate(() => { throw error }))`

mkdirSync(dirname(program), { recursive: true })
await build({
  stdin: { contents, resolveDir: here, loader: 'ts' },
  bundle: true,
  outfile: program,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  logLevel: 'error',
  inject: [RUNNER],
  plugins: [
    {
      name: 'contract-in-node',
      setup({ onResolve }) {
        onResolve({ filter: /^timeout-wheel(\/|$)/ }, ({ path: name }) => ({
          path: `../../dist/${name.split('/')[1] ?? 'node'}.cjs`,
          external: true,
        }))
        onResolve({ filter: /\/builds\.js$/ }, () => ({ path: join(here, 'builds.ts') }))
      },
    },
  ],
})
writeFileSync(outcomes, '')
process.exitCode = await runForeign(platform, ['--expose-gc', program], LIMIT)
