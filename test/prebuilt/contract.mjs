/**
 * Runs the contract on the addon of another platform, in Node for that platform.
 *
 *   node test/prebuilt/contract.mjs PLATFORM OUTCOMES [SPECIFICATION ...]
 *
 * Writes the outcomes of the tests into the file OUTCOMES, one in a line.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { runForeign } from '../../.tooling/foreign.mjs'
import { LEFT_OUT } from './left-out.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
const CONTRACT = join(root, 'test/contract')
const RUNNER = join(root, 'test/browser/contract/runner.ts')

const [, , platform, outcomes, ...named] = process.argv
const specs =
  named.length > 0
    ? named
    : readdirSync(CONTRACT)
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => basename(name, '.test.ts'))

const folder = join(root, 'build/prebuilt')
const program = join(folder, `contract-${platform}.cjs`)

/** Collects the tests of a specification when its file is loaded. */
const collect = (spec) =>
  `openSpec(${JSON.stringify(spec)}); await import(${JSON.stringify(join(CONTRACT, `${spec}.test.ts`))})`

const contents = `
  import { appendFileSync } from 'node:fs'
  import { noteStray, openSpec, runAll } from ${JSON.stringify(RUNNER)}
  const leftOut = ${JSON.stringify(LEFT_OUT)}
  const out = require('node:path').join(__dirname, ${JSON.stringify(relative(folder, outcomes))})
  process.on('unhandledRejection', noteStray)
  process.on('uncaughtException', noteStray)
  async function main() {
    ${specs.map(collect).join('\n')}
    await runAll(
      (spec, title) => leftOut.find((one) => one.spec === spec && (one.titles?.includes(title) ?? true))?.reason,
      async (outcome) => appendFileSync(out, JSON.stringify(outcome) + '\\n'),
    )
    process.exit(0)
  }
  main().catch((error) => {
    appendFileSync(out, JSON.stringify({ spec: '', name: 'the whole run', failure: String(error.stack) }) + '\\n')
    process.exit(1)
  })`

await build({
  stdin: { contents, resolveDir: here, loader: 'ts' },
  bundle: true,
  outfile: program,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  logLevel: 'error',
  plugins: [
    {
      name: 'contract-in-node',
      setup({ onResolve }) {
        onResolve({ filter: /^timeout-wheel(\/|$)/ }, ({ path: name }) => ({
          path: `../../dist/${name.split('/')[1] ?? 'node'}.cjs`,
          external: true,
        }))
        onResolve({ filter: /\/builds\.js$/ }, () => ({ path: join(here, 'builds.ts') }))
        onResolve({ filter: /^@jest\/globals$/ }, () => ({ path: RUNNER }))
      },
    },
  ],
})
writeFileSync(outcomes, '')
process.exitCode = runForeign(platform, ['--expose-gc', program])
