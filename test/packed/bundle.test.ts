/** A bundler packs a Node program into one file, without the addon. The program runs, on WebAssembly if necessary. trace.test.ts has webpack. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import { execute, tool, useProject } from './installed.js'

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
    rollupOptions: { output: { entryFileNames: 'out.mjs', inlineDynamicImports: true } } } }`

const ESBUILD = [tool('esbuild'), '--bundle', '--platform=node', '--log-level=error']
const ROLLDOWN = [tool('rolldown'), '--platform', 'node']
/** The name of a bundler, that of its output, and its command without the program. */
const BUNDLES: [bundler: string, to: string, command: string[]][] = [
  ['esbuild', 'out.cjs', [...ESBUILD, '--outfile=out.cjs']],
  ['esbuild', 'out.mjs', [...ESBUILD, '--outfile=out.mjs', '--format=esm']],
  ['rolldown', 'out.cjs', [...ROLLDOWN, '--file=out.cjs', '--format=cjs']],
  ['rolldown', 'out.mjs', [...ROLLDOWN, '--file=out.mjs']],
  ['vite', 'out.mjs', [tool('vite'), 'build', '--logLevel=error', '--ssr']],
]

const project = useProject()

/** Bundles a program in a new folder, which it returns. */
async function bundle(program: Program, [bundler, ...args]: string[]): Promise<string> {
  const folder = mkdtempSync(join(project.folder, 'bundle-'))
  writeFileSync(join(folder, program), PROGRAMS[program])
  writeFileSync(join(folder, 'vite.config.mjs'), VITE)
  expect(await execute(bundler!, [...args, program], folder)).toMatchObject({ code: 0 })
  return folder
}

/** Runs a file, which prints the backend. */
async function expectRun(folder: string, file: string, backend: string): Promise<void> {
  const outcome = await execute(process.execPath, [file], folder, { TIMEOUT_WHEEL_BACKEND: undefined })
  const stdout = expect.stringMatching(`^ran ${backend}\n$`)
  expect(outcome).toEqual({ stdout, stderr: '', code: 0 })
}

describe.each(Object.keys(PROGRAMS) as Program[])('bundles of %s', (program) => {
  it.concurrent.each(BUNDLES)('run after %s, %s', async (_bundler, to, command) => {
    const folder = await bundle(program, command)
    // The bundle contains the package's code.
    expect(readFileSync(join(folder, to), 'utf8')).toContain('ERR_NATIVE_BACKEND')
    await expectRun(folder, to, '(native|wasm)')
  })
})

it('runs in an ES module without a file', async () => {
  const folder = await bundle('program.mjs', BUNDLES[1]![2])
  const url = `data:text/javascript;base64,${readFileSync(join(folder, 'out.mjs')).toString('base64')}`
  writeFileSync(join(folder, 'run.mjs'), `await import('${url}')`)
  await expectRun(folder, 'run.mjs', 'wasm')
})
