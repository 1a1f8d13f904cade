/**
 * Builds the entries for pages, one file each. Property names that start with an underscore are shortened: no public name starts
 * with one, and no code outside these files uses them. See lib/page.
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { root } from './step.mjs'

/** The names that are shortened. */
const INTERNAL = /^_[a-z]/

const PROMISED = ['setTimeout', 'setImmediate', 'setInterval', 'scheduler']

/** @type {import('esbuild').BuildOptions} */
const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  external: ['*.wasm'],
  mangleProps: INTERNAL,
  logLevel: 'warning',
}

/**
 * Chooses the short names: first for a page that imports only the functions, so that other parts of the package do not change its
 * size, then for a page that imports the class of wheels. The names for all other parts are chosen later.
 *
 * @returns {Promise<Record<string, string | false>>} the short name of each name
 */
async function chooseNames() {
  const bundle = { ...common, format: /** @type {const} */ ('esm'), write: false }
  let names = {}
  for (const imported of ['setTimeout, clearTimeout', 'TimerWheel']) {
    const contents = `export { ${imported} } from './lib/entry/browser.ts'`
    const { outputFiles } = await build({
      ...bundle,
      stdin: { contents, resolveDir: root },
      mangleProps: undefined,
    })
    // Only now is unused code left out.
    const used = { contents: outputFiles[0].text, resolveDir: root }
    const { mangleCache } = await build({ ...bundle, stdin: used, mangleCache: names })
    names = mangleCache ?? {}
  }
  return names
}

/** @param {import('esbuild').BuildOptions} [options] of this entry alone */
async function buildEntry(entry, outfile, format, mangleCache, options) {
  await build({
    ...common,
    ...options,
    entryPoints: [`lib/entry/${entry}.ts`],
    outfile,
    format,
    mangleCache,
    // White space and local names stay for the bundler of the page, which needs them to remove unused code.
    minifySyntax: true,
    legalComments: 'none',
  })
}

/** The entry of promises re-exports those of the other entry, so that both share them. */
function writePromises(from, outfile) {
  const names = PROMISED.map((name) => `export const ${name} = promises.${name}\n`).join('')
  writeFileSync(join(root, `${outfile}.mjs`), `import { promises } from './${from}.mjs'\n${names}`)
}

export async function buildPages() {
  // This file is a by-product of the types of the CommonJS entry.
  rmSync(join(root, 'dist/browser2.cjs'), { force: true })
  const names = await chooseNames()
  await buildEntry('browser', 'dist/browser.mjs', 'esm', names)
  await buildEntry('browser', 'dist/browser.cjs', 'cjs', names)
  // A host of many requests can lack this class, and all pages have it.
  const inject = ['lib/workerd/finalization-registry.ts']
  await buildEntry('workerd', 'dist/workerd/workerd.mjs', 'esm', names, { inject })
  writePromises('browser', 'dist/promises-browser')
  writePromises('workerd', 'dist/workerd/promises-workerd')
  writeFileSync(
    join(root, 'dist/promises-browser.cjs'),
    "module.exports = require('./browser.cjs').promises\n",
  )
}
