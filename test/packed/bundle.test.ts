/** A bundler packs a Node program into one file, without the addon. The program runs, on WebAssembly if necessary. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { execute, type Project, packAndInstall, tool } from './installed.js'

const USE = "setTimeout(async () => console.log('ran', await wait(1, backend)), 1)"
const PROGRAM = `
  import { backend, setTimeout } from 'timeout-wheel'
  import { setTimeout as wait } from 'timeout-wheel/promises'
  ${USE}`
const REQUIRING = `
  const { backend, setTimeout } = require('timeout-wheel')
  const { setTimeout: wait } = require('timeout-wheel/promises')
  ${USE}`
/** webpack's own command is another package, so this script calls webpack. */
const WEBPACK = `
  const webpack = require(${JSON.stringify(require.resolve('webpack'))})
  const [entry, filename] = process.argv.slice(2)
  const output = { path: __dirname, filename }
  webpack({ context: __dirname, mode: 'production', target: 'node', entry: './' + entry, output }, (error, stats) => {
    if (error || stats.hasErrors() || stats.hasWarnings()) throw error ?? new Error(stats.toString())
  })
`

let project: Project
beforeAll(async () => {
  project = await packAndInstall()
})
afterAll(() => project.remove())

/** Each bundler with its arguments, without the program and the name of the output. */
const BUNDLES = [
  { to: 'out.cjs', bundler: 'esbuild', args: ['--bundle', '--platform=node', '--log-level=error'] },
  { to: 'out.mjs', bundler: 'esbuild', args: ['--bundle', '--platform=node', '--format=esm'] },
  { to: 'out.cjs', bundler: 'rolldown', args: ['--platform', 'node', '--format', 'cjs'] },
  { to: 'out.mjs', bundler: 'rolldown', args: ['--platform', 'node'] },
  { to: 'out.cjs', bundler: 'webpack', args: [] },
]
const CASES = [
  { uses: 'imports', program: 'program.mjs', source: PROGRAM },
  { uses: 'requires', program: 'program.cjs', source: REQUIRING },
].flatMap((program) => BUNDLES.map((bundle) => ({ ...program, ...bundle })))

it.each(CASES)(
  'runs in a bundle of $bundler, $to, of a program that $uses it',
  async ({ program, source, to, bundler, args }) => {
    const folder = mkdtempSync(join(project.folder, 'bundle-'))
    writeFileSync(join(folder, program), source)
    writeFileSync(join(folder, 'webpack.cjs'), WEBPACK)
    const made =
      bundler === 'webpack'
        ? await execute(process.execPath, ['webpack.cjs', program, to], folder)
        : await execute(
            tool(bundler),
            [program, ...args, bundler === 'esbuild' ? `--outfile=${to}` : `--file=${to}`],
            folder,
          )
    expect(made).toMatchObject({ code: 0 })
    // The bundle contains the package's code.
    expect(readFileSync(join(folder, to), 'utf8')).toContain('ERR_NATIVE_BACKEND')
    const { stdout, stderr, code } = await execute(process.execPath, [to], folder, {
      TIMEOUT_WHEEL_BACKEND: undefined,
    })
    expect({ stdout, stderr, code }).toEqual({
      stdout: expect.stringMatching(/^ran (native|wasm)\n$/),
      stderr: '',
      code: 0,
    })
  },
)

it('runs in an ES module without a file', async () => {
  const folder = mkdtempSync(join(project.folder, 'bundle-'))
  writeFileSync(join(folder, 'program.mjs'), PROGRAM)
  const args = ['program.mjs', '--bundle', '--platform=node', '--format=esm', '--outfile=out.mjs']
  expect(await execute(tool('esbuild'), args, folder)).toMatchObject({ code: 0 })
  const url = `data:text/javascript;base64,${readFileSync(join(folder, 'out.mjs')).toString('base64')}`
  writeFileSync(join(folder, 'run.mjs'), `await import('${url}')`)
  const { stdout, stderr } = await execute(process.execPath, ['run.mjs'], folder, {
    TIMEOUT_WHEEL_BACKEND: undefined,
  })
  expect({ stdout, stderr }).toEqual({ stdout: 'ran wasm\n', stderr: '' })
})
