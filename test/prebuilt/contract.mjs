/**
 * Runs specifications of the contract on the addon of another platform, in Node for that platform.
 *
 *   node test/prebuilt/contract.mjs PLATFORM OUTCOMES SPECIFICATION ...
 *
 * Writes the outcomes of the tests into the file OUTCOMES, one in a line. Each specification has a separate process, as in Jest.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { runForeign } from '../../.tooling/foreign.mjs'
import { LEFT_OUT } from './left-out.mjs'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
/** Milliseconds for one specification. It is below the limit of the test, so that the outcomes name what did not end. */
const LIMIT = 280_000
const RUNNER = join(root, 'test/browser/contract/runner.ts')

// An emulated processor is slow.
process.env.TIMEOUT_WHEEL_SCALE = 'small'
const [, , platform, outcomes, ...specs] = process.argv
const program = join(root, `build/prebuilt/${platform}-${specs.join('-')}.cjs`)

/** The program runs the specification that its argument names. */
const contents = `
  import { appendFileSync } from 'node:fs'
  import { noteStray, openSpec, runAll } from ${JSON.stringify(RUNNER)}
  const spec = process.argv[2]
  // Tests that start Node by the path of the running program.
  process.execPath = process.env.TIMEOUT_WHEEL_FOREIGN_NODE ?? process.execPath
  const load = {
    ${specs.map((name) => `'${name}': () => import(${JSON.stringify(join(root, `test/contract/${name}.test.ts`))}),`).join('\n')}
  }
  const leftOut = ${JSON.stringify(LEFT_OUT.filter((one) => one.platform === platform))}
  const out = require('node:path').join(__dirname, ${JSON.stringify(relative(dirname(program), outcomes))})
  process.on('unhandledRejection', noteStray)
  async function main() {
    openSpec(spec)
    await load[spec]()
    await runAll(
      (_, title) => leftOut.find((one) => one.spec === spec && one.titles.includes(title))?.reason,
      async (outcome) => appendFileSync(out, JSON.stringify(outcome) + '\\n'),
    )
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
for (const spec of specs) {
  const before = readFileSync(outcomes, 'utf8').length
  const code = await runForeign(platform, ['--expose-gc', program, spec], LIMIT)
  const failure =
    code !== 0
      ? `the process ended with ${code}`
      : readFileSync(outcomes, 'utf8').length === before
        ? 'no test ran'
        : undefined
  if (failure !== undefined)
    appendFileSync(outcomes, `${JSON.stringify({ spec, name: 'the process', failure })}\n`)
}
