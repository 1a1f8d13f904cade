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

async function buildEntry(entry, outfile, format) {
  await build({
    absWorkingDir: root,
    entryPoints: [`lib/entry/${entry}.ts`],
    outfile,
    format,
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    external: ['*.wasm'],
    mangleProps: INTERNAL,
    // White space and local names stay for the bundler of the page, which needs them to remove unused code.
    minifySyntax: true,
    legalComments: 'none',
    sourcemap: true,
    logLevel: 'warning',
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
  await buildEntry('browser', 'dist/browser.mjs', 'esm')
  await buildEntry('browser', 'dist/browser.cjs', 'cjs')
  await buildEntry('workerd', 'dist/workerd/workerd.mjs', 'esm')
  writePromises('browser', 'dist/promises-browser')
  writePromises('workerd', 'dist/workerd/promises-workerd')
  writeFileSync(
    join(root, 'dist/promises-browser.cjs'),
    "module.exports = require('./browser.cjs').promises\n",
  )
}
