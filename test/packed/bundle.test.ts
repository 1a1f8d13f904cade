/** A bundler packs a Node program into one file, without the addon. The program runs, on WebAssembly if necessary. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { execute, tool, useProject, WEBPACK } from './installed.js'

const USE = "setTimeout(async () => console.log('ran', await wait(1, backend)), 1)"
const PROGRAMS = {
  'program.mjs': `
    import { backend, setTimeout } from 'timeout-wheel'
    import { setTimeout as wait } from 'timeout-wheel/promises'
    ${USE}`,
  'program.cjs': `
    const { backend, setTimeout } = require('timeout-wheel')
    const { setTimeout: wait } = require('timeout-wheel/promises')
    ${USE}`,
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
  bundle.then((one) => one.write({ file: 'out.mjs' }))`

/** By default, Parcel ignores the `exports` of packages, and bundles no package for Node. */
const PARCEL = {
  '@parcel/resolver-default': { packageExports: true },
  targets: {
    out: { context: 'node', includeNodeModules: true, outputFormat: 'commonjs', engines: { node: '>=20' } },
  },
}

const ESBUILD = [tool('esbuild'), '--bundle', '--platform=node', '--log-level=error']
const ROLLDOWN = [tool('rolldown'), '--platform', 'node']
const PARCEL_CLI = [tool('parcel'), 'build', '--no-cache', '--no-source-maps', '--dist-dir=out']
const BOTH: Program[] = ['program.mjs', 'program.cjs']
/** A bundler, its output, the backend that runs there, and its command without the program. */
const BUNDLES: [bundler: string, to: string, backend: string, command: string[], programs?: Program[]][] = [
  ['esbuild', 'out.cjs', 'wasm', [...ESBUILD, '--outfile=out.cjs']],
  ['esbuild', 'out.mjs', 'wasm', [...ESBUILD, '--outfile=out.mjs', '--format=esm']],
  ['Rolldown', 'out.cjs', 'wasm', [...ROLLDOWN, '--file=out.cjs', '--format=cjs']],
  ['Rolldown', 'out.mjs', 'wasm', [...ROLLDOWN, '--file=out.mjs']],
  ['Rollup', 'out.mjs', 'wasm', [process.execPath, 'rollup.cjs'], ['program.mjs']],
  ['webpack', 'out/out.cjs', 'native', [process.execPath, 'webpack.cjs']],
  ['Vite for servers', 'out.mjs', 'wasm', [tool('vite'), 'build', '--logLevel=error', '--ssr']],
  ['Parcel', 'out/program.js', 'native', PARCEL_CLI],
]

// Parcel reads its settings from the folder of the package-lock.json.
const project = useProject(({ folder }) =>
  writeFileSync(join(folder, 'package.json'), JSON.stringify(PARCEL)),
)

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

/** Runs a file, which prints the backend. */
async function expectRun(folder: string, file: string, backend: string): Promise<void> {
  const outcome = await execute(process.execPath, [file], folder)
  const stdout = expect.stringMatching(`^ran ${backend}\n$`)
  expect(outcome).toEqual({ stdout, stderr: '', code: 0 })
}

describe.each(BUNDLES)('bundled by %s into %s: %s', (_bundler, to, backend, command, programs = BOTH) => {
  it.concurrent.each(programs)('%s runs', async (program) => {
    const folder = await bundle(program, command)
    // The bundle contains the package's code.
    expect(readFileSync(join(folder, to), 'utf8')).toContain('ERR_NATIVE_BACKEND')
    await expectRun(folder, to, backend)
  })
})

it('runs in an ES module without a file', async () => {
  const folder = await bundle('program.mjs', BUNDLES[1]![3])
  const url = `data:text/javascript;base64,${readFileSync(join(folder, 'out.mjs')).toString('base64')}`
  writeFileSync(join(folder, 'run.mjs'), `await import('${url}')`)
  await expectRun(folder, 'run.mjs', 'wasm')
})
