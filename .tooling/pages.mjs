/**
 * Builds the entries for pages, one file each. Property names that start with an underscore are shortened: no public name starts
 * with one, and no code outside these files uses them. See lib/page.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './step.mjs'

const PROMISED = ['setTimeout', 'setImmediate', 'setInterval', 'scheduler']

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  external: ['*.wasm'],
  mangleProps: /^_[a-z]/,
  logLevel: 'warning',
}

/** Builds the entry of a page that imports only these names. @param {string} imported @param {import('esbuild').BuildOptions} options */
async function buildPart(imported, options) {
  const bundle = { ...common, format: /** @type {const} */ ('esm'), write: false }
  const contents = `export { ${imported} } from './lib/entry/browser.ts'`
  const { outputFiles } = await build({
    ...bundle,
    stdin: { contents, resolveDir: root },
    mangleProps: undefined,
  })
  // Only now is unused code left out.
  const used = { contents: outputFiles[0].text, resolveDir: root }
  return (await build({ ...bundle, ...options, stdin: used })).mangleCache ?? {}
}

/** @param {import('esbuild').BuildOptions} options */
const buildEntry = (entry, outfile, options) =>
  build({
    ...common,
    ...options,
    entryPoints: [`lib/entry/${entry}.ts`],
    outfile,
    // White space and local names stay for the bundler of the page, which needs them to remove unused code.
    minifySyntax: true,
    legalComments: 'none',
  })

/** The entry of promises re-exports those of the other entry, so that both share them. */
function writePromises(from, outfile) {
  const names = PROMISED.map((name) => `export const ${name} = promises.${name}\n`).join('')
  writeFileSync(join(root, `${outfile}.mjs`), `import { promises } from './${from}.mjs'\n${names}`)
}

export async function buildPages() {
  // This file is a by-product of the types of the CommonJS entry.
  rmSync(join(root, 'dist/browser2.cjs'), { force: true })
  // The short names: first for a page that imports only the functions, so that other parts of the package do not change its size, then
  // for a page that imports the class of wheels, then for all.
  const functions = await buildPart('setTimeout, clearTimeout', { mangleCache: {} })
  const mangleCache = await buildPart('TimerWheel', { mangleCache: functions })
  await buildEntry('browser', 'dist/browser.mjs', { format: 'esm', mangleCache })
  await buildEntry('browser', 'dist/browser.cjs', { format: 'cjs', mangleCache })
  // A host of many requests can lack this class, and all pages have it.
  const inject = ['lib/workerd/finalization-registry.ts']
  await buildEntry('workerd', 'dist/workerd/workerd.mjs', { format: 'esm', mangleCache, inject })
  writePromises('browser', 'dist/promises-browser')
  writePromises('workerd', 'dist/workerd/promises-workerd')
  const required = "module.exports = require('./browser.cjs').promises\n"
  writeFileSync(join(root, 'dist/promises-browser.cjs'), required)
}
