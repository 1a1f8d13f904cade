/**
 * A bundler packs a Node program into one file, without the addon. The program runs, on WebAssembly if necessary. Durable timers run in it,
 * on a Node that has SQLite.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scaled } from '../scale.js'
import { temporaryFolder } from '../temporary-folder.js'
import { execute, ROOT, tool, useProject, WEBPACK } from './installed.js'

const USE = "setTimeout(async () => console.log('ran', await wait(1, backend)), 1)"
const DURABLE = `
    async function main() {
      const timers = await DurableTimers.open(':memory:')
      timers.on('job', ({ data }) => {
        console.log('ran', data)
        setTimeout(() => timers.close(), 1)
      })
      const isFirst = ({ due }) => due.getUTCMonth() === 0
      const cron = timers.set('yearly', { key: 'k', cron: '0 0 1 1 *' }).then(isFirst, ({ code }) => code)
      await timers.set('job', { delay: 1, data: backend + ' ' + await cron })
    }
    main()`
const PROGRAMS = {
  'program.mjs': `
    import { backend, setTimeout } from 'timeout-wheel'
    import { setTimeout as wait } from 'timeout-wheel/promises'
    ${USE}`,
  'program.cjs': `
    const { backend, setTimeout } = require('timeout-wheel')
    const { setTimeout: wait } = require('timeout-wheel/promises')
    ${USE}`,
  'durable.mjs': `
    import { backend, setTimeout } from 'timeout-wheel'
    import { DurableTimers } from 'timeout-wheel/durable'
    ${DURABLE}`,
  'durable.cjs': `
    const { backend, setTimeout } = require('timeout-wheel')
    const { DurableTimers } = require('timeout-wheel/durable')
    ${DURABLE}`,
}
type Program = keyof typeof PROGRAMS

/** By default, a program for a server imports its packages from node_modules. */
const VITE = `
  export default { ssr: { noExternal: true }, build: { outDir: '.', emptyOutDir: false,
    rollupOptions: { output: { entryFileNames: 'out.mjs', codeSplitting: false } } } }`

/** Rollup finds no packages without this plugin, and no `require` without another. */
const ROLLUP = `
  const { rollup } = require(${JSON.stringify(require.resolve('rollup'))})
  const { nodeResolve } = require(${JSON.stringify(require.resolve('@rollup/plugin-node-resolve'))})
  const bundle = rollup({ input: process.argv[2], plugins: [nodeResolve({ preferBuiltins: true })], external: /^node:/ })
  bundle.then((one) => one.write({ file: 'out.mjs', inlineDynamicImports: true }))`

/** By default, Parcel ignores the `exports` of packages, and bundles no package for Node. */
const PARCEL = {
  '@parcel/resolver-default': { packageExports: true },
  targets: {
    out: {
      context: 'node',
      includeNodeModules: true,
      outputFormat: 'commonjs',
      engines: { node: '>=20.19' },
    },
  },
}

const ESBUILD = [tool('esbuild'), '--bundle', '--platform=node', '--log-level=error']
const ROLLDOWN = [tool('rolldown'), '--platform=node', '--no-code-splitting']
const PARCEL_CLI = [tool('parcel'), 'build', '--no-cache', '--no-source-maps', '--dist-dir=out']
const ESM: Program[] = ['program.mjs', 'durable.mjs']
const BOTH: Program[] = ['program.mjs', 'program.cjs', 'durable.mjs']
const REQUIRED: Program[] = ['program.mjs', 'program.cjs', 'durable.cjs']
/** A bundler, its output, the backend that runs there, and its command without the program. */
const BUNDLES: [bundler: string, to: string, backend: string, programs: Program[], command: string[]][] = [
  ['esbuild', 'out.cjs', 'wasm', REQUIRED, [...ESBUILD, '--outfile=out.cjs']],
  ['esbuild', 'out.mjs', 'wasm', BOTH, [...ESBUILD, '--outfile=out.mjs', '--format=esm']],
  ['Rolldown', 'out.cjs', 'wasm', REQUIRED, [...ROLLDOWN, '--file=out.cjs', '--format=cjs']],
  ['Rolldown', 'out.mjs', 'wasm', BOTH, [...ROLLDOWN, '--file=out.mjs']],
  ['Rollup', 'out.mjs', 'wasm', ESM, [process.execPath, 'rollup.cjs']],
  ['webpack', 'out/out.cjs', 'native', BOTH, [process.execPath, 'webpack.cjs']],
  ['Vite for servers', 'out.mjs', 'wasm', BOTH, [tool('vite'), 'build', '--logLevel=error', '--ssr']],
  ['Parcel', 'out/[name].js', 'native', BOTH, PARCEL_CLI],
]
/** The suites give a Node that has SQLite, for which the one that runs the tests may be too old. */
const NODE_WITH_SQLITE = process.env.TIMEOUT_WHEEL_NODE_WITH_SQLITE ?? process.execPath

const project = useProject(({ folder }) => {
  // Parcel reads its settings from the folder of the package-lock.json.
  writeFileSync(join(folder, 'package.json'), JSON.stringify(PARCEL))
  cpSync(join(ROOT, 'node_modules/croner'), join(folder, 'node_modules/croner'), { recursive: true })
})

/** Bundles a program in a new folder, which it returns. */
async function bundle(program: Program, [bundler, ...args]: string[]): Promise<string> {
  const folder = mkdtempSync(join(project.folder, 'bundle-'))
  writeFileSync(join(folder, program), PROGRAMS[program])
  writeFileSync(join(folder, 'rollup.cjs'), ROLLUP)
  writeFileSync(join(folder, 'webpack.cjs'), WEBPACK)
  writeFileSync(join(folder, 'vite.config.mjs'), VITE)
  expect(await execute(bundler!, [...args, program], folder)).toMatchObject({ code: 0, stderr: '' })
  return folder
}

/** Runs a file, which prints these words. */
async function expectRun(folder: string, file: string, words: string, node = process.execPath) {
  const outcome = await execute(node, [file], folder)
  const stdout = expect.stringMatching(`^ran ${words}\n$`)
  expect(outcome).toEqual({ stdout, stderr: '', code: 0 })
}

/** A folder without packages. */
const elsewhere = temporaryFolder()

describe.each(BUNDLES)('bundled by %s into %s: %s', (bundler, to, backend, programs, command) => {
  // By default, one bundler has durable timers, because the others take seconds.
  const some = programs.filter((program) => bundler === 'esbuild' || !program.startsWith('durable'))
  it.concurrent.each(scaled(some, programs))('%s runs', async (program) => {
    const folder = await bundle(program, command)
    const [name] = program.split('.') as [string]
    const file = to.replace('[name]', name)
    // The bundle contains the package's code.
    const code = readFileSync(join(folder, file), 'utf8')
    expect(code).toContain('ERR_NATIVE_BACKEND')
    if (name !== 'durable') return expectRun(folder, file, backend)
    expect(code).toContain('ERR_DURABLE_UNAVAILABLE')
    const copy = mkdtempSync(join(elsewhere, 'bundle-'))
    cpSync(folder, copy, { recursive: true })
    await expectRun(copy, file, `${backend} true`, NODE_WITH_SQLITE)
  })
})

it('runs without the package for cron expressions, and refuses them', async () => {
  rmSync(join(project.folder, 'node_modules/croner'), { recursive: true })
  const folder = await bundle('durable.mjs', BUNDLES[1]![4])
  await expectRun(folder, 'out.mjs', 'wasm ERR_DURABLE_UNSUPPORTED', NODE_WITH_SQLITE)
})

it.each([0, 1])('loads the addon that was copied beside it: bundle %i of esbuild', async (n) => {
  const [, to, , , command] = BUNDLES[n]!
  const folder = await bundle('program.mjs', command)
  cpSync(join(project.packageFolder, 'prebuilds'), join(folder, 'prebuilds'), { recursive: true })
  await expectRun(folder, to, 'native')
})

it('runs in an ES module without a file', async () => {
  const folder = await bundle('program.mjs', BUNDLES[1]![4])
  const url = `data:text/javascript;base64,${readFileSync(join(folder, 'out.mjs')).toString('base64')}`
  writeFileSync(join(folder, 'run.mjs'), `await import('${url}')`)
  await expectRun(folder, 'run.mjs', 'wasm')
})
